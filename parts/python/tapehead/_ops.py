"""Every op of `tapehead ops` as a function; `arange`, `one_hot` and `split` differ in Python."""
from . import _core
from ._core import Tensor, arange

ops = tuple(name for name, *_ in _core.ops)
globals().update({name: getattr(_core, name) for name in ops if name != "arange"})


def one_hot(ids, classes, dtype="f32"):
    """Returns y[i][c] = 1 if c == ids[i], else 0."""
    return _core.cast(_core.one_hot(ids, classes), dtype)


def split(x, parts, axis=0):
    """Returns a list of slices of equal size along an axis."""
    count = x.shape[axis]
    if parts < 1 or count % parts:
        raise ValueError(f"split: an axis of size {count} can't be split into {parts} equal parts")
    size = count // parts
    return [_core.slice(x, axis, i * size, (i + 1) * size) for i in range(parts)]


own = (arange, one_hot, split)  # ops whose Python signature differs
for _type in Tensor, _core.Parameter:
    _type.one_hot, _type.split = one_hot, split

__all__ = [*ops, "ops"]
