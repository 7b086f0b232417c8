"""Compares random calls of every operator, and of every NumPy function that has an op, with NumPy.
A call either returns the same value and shape in the documented type, or raises an error."""
import operator

import numpy as np
import pytest

import tapehead
from tapehead import Tensor, _numpy

CALLS = 250  # random calls of each function
pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy warns about overflow and 0 / 0
NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32}
COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge", "equal", "not_equal", "less", "less_equal",
               "greater", "greater_equal"}
QUOTIENTS = {"truediv", "divide", "true_divide"}  # operators that give floats for integers
AVERAGES = {"mean", "var"}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-10, -1e-10, 1e-4, 30.0, -30.0, 3e4, 16777216.0, np.inf,
           -np.inf, np.nan]
SPECIAL_INTEGERS = [0, 1, -1, 2, 3, 16777217, 16777216, -16777217]  # f32 can't represent 16777217
SHAPES = [(), (0,), (1,), (3,), (2, 3), (1, 3), (2, 1), (0, 3), (3, 0), (2, 1, 3), (2, 2, 3)]


class Draw:
    """Draws random arguments: tensors, and NumPy arrays with the same elements."""

    def __init__(self, seed, special=0.2):
        self.rng, self.special = np.random.default_rng(seed), special

    def one(self, choices):
        return choices[self.rng.integers(len(choices))]

    def array(self, shape=None, dtype=None, special=True):
        shape = self.one(SHAPES) if shape is None else shape
        dtype = self.one(["f32", "f32", "f64", "i32"]) if dtype is None else dtype
        if dtype == "i32":
            x = self.rng.integers(-4, 5, shape)
            extremes = SPECIAL_INTEGERS
        else:
            x = self.rng.normal(size=shape)
            extremes = SPECIAL
        if special:
            chosen = self.rng.random(shape) < self.special * self.one([0, 1, 2])
            x = np.where(chosen, self.rng.choice(extremes, shape), x)
        return np.asarray(x, NUMPY[dtype])

    def tensor(self, **how):
        return tapehead.tensor(self.array(**how))

    def operand_for(self, x):
        """Returns a second operand for the tensor x: a tensor, an array, a list or a number."""
        shape = self.one([x.shape, x.shape, x.shape[1:], (), (1,), self.one(SHAPES)])
        kind = self.one(["same type", "tensor", "array", "list", "number"])
        if kind == "number":
            return self.one([0, 1, -1, 2, 3, True, 0.5, -1.5, 0.1, 16777216.0, 16777217,
                             np.float32(0.1), np.float64(0.1), np.int64(16777217)])
        found = self.array(shape, x.dtype if kind == "same type" else None)
        return tapehead.tensor(found) if kind in ("same type", "tensor") else \
            found.tolist() if kind == "list" and shape else found

    def axis(self, rank):
        one = int(self.rng.integers(-rank - 1, rank + 1))
        several = tuple(int(i) for i in self.rng.integers(-rank, rank, self.one([0, 1, 2]))) \
            if rank else ()
        return self.one([None, one, one, several])


def typed(operands, name):
    """Returns the operands as arrays of the types that docs/python.md specifies, and the result's
    type."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    floats = [x.dtype for x in tensors if x.dtype != "i32"]
    arrays = [np.asarray(x.numpy() if isinstance(x, Tensor) else x) for x in operands]
    wide = any(x.dtype == np.float64 and isinstance(given, (np.ndarray, np.generic))
               for x, given in zip(arrays, operands))
    any_float = any(x.dtype.kind == "f" for x in arrays)
    computed = floats[0] if floats else "f64" if wide else "f32" if any_float else "i32"
    if name in COMPARISONS:  # exact values, except numbers and floats compared with float tensors
        def exact(x, given):
            rounded = floats and (x.dtype.kind == "f" or type(given) is int)
            return (x.astype(NUMPY[floats[0]]) if rounded else x).astype(np.float64)
        return [exact(x, given) for x, given in zip(arrays, operands)], "i32"
    if name in QUOTIENTS | AVERAGES and computed == "i32":
        computed = "f32"
    return [x.astype(NUMPY[computed]) for x in arrays], computed


def attempt(f, *given, **named):
    try:
        with np.errstate(all="ignore"):
            return f(*given, **named), None
    except Exception as error:
        return None, error


def close(found, right, scale):
    """Compares results up to rounding errors, relative to `scale`, by default the result."""
    epsilon, tiny = {"float32": (4e-6, 1e-37), "float64": (1e-13, 1e-307)}.get(found.dtype.name, (0, 0))
    found, right = np.asarray(found, np.float64), np.asarray(right, np.float64)
    scale = np.nan_to_num(np.asarray(scale, np.float64), nan=0, posinf=0, neginf=0)
    with np.errstate(all="ignore"):
        same = (found == right) | (np.isnan(found) & np.isnan(right))
        near = np.abs(found - right) <= (np.abs(right) + scale) * epsilon + tiny
    return bool(np.all(same | near))


def compare(name, f, reference, operands, scale=None, **named):
    """Compares f with `reference`, its counterpart for arrays. Returns whether f succeeded."""
    found, error = attempt(f, *operands, **named)
    if error is not None:
        assert "\n" not in str(error) or not isinstance(error, (ValueError, TypeError)), error
        return False
    arrays, dtype = typed(operands, name)
    right, error = attempt(reference, *arrays, **named)
    said = f"{name}({', '.join(map(repr, operands))}, {named}) = {found!r}, NumPy: {right!r} {error}"
    assert error is None, said
    if isinstance(found, Tensor):
        assert found.dtype == dtype, said
        found = found.numpy()
    assert found.shape == np.shape(right), said
    assert close(found, right, attempt(scale, *arrays, **named)[0] if scale else 0), said
    return True


def magnitude(f):
    """Returns a function for the scale of rounding errors in a sum: the sum of absolute values."""
    return lambda *arrays, **named: f(*(np.abs(x.astype(np.float64)) for x in arrays), **named)


PRODUCTS = {"matmul": magnitude(np.matmul), "dot": magnitude(np.dot)}
OPERATORS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
             "pow": np.power, "eq": np.equal, "ne": np.not_equal, "lt": np.less,
             "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "matmul": np.matmul}


def binary_calls(name, f, reference):
    draw, done = Draw(1, 0.5 if name in COMPARISONS else 0.2), 0
    for _ in range(CALLS):
        x = draw.tensor()
        pair = [x, draw.operand_for(x)]
        if name == "matmul":
            a, b, n = draw.one([(), (2,), (2, 2)]), draw.one([(), (4,), (1, 4)]), draw.one([0, 1, 3])
            pair = [draw.tensor(shape=(*a, n)), draw.array((*b[:-1], n, *b[-1:]))]
        if draw.rng.random() < 0.4:
            pair.reverse()
        done += compare(name, f, reference, pair, PRODUCTS.get(name))
    return done


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    assert binary_calls(name, getattr(operator, name), OPERATORS[name]) > CALLS / 3


def test_operators_of_one_tensor():
    draw = Draw(2)
    for f in operator.neg, operator.pos, operator.abs:
        done = sum(compare(f.__name__, f, f, [draw.tensor()]) for _ in range(CALLS))
        assert done > CALLS / 2


@pytest.mark.parametrize("ufunc", _numpy.same, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs(ufunc):
    name = ufunc.__name__
    if ufunc.nin == 2:
        assert binary_calls(name, ufunc, ufunc) > CALLS / 3
        return
    draw = Draw(3)
    assert sum(compare(name, ufunc, ufunc, [draw.tensor()]) for _ in range(CALLS)) > CALLS / 3


def reduction(name):
    f = getattr(np, name)

    def calls(draw):
        x = draw.tensor()
        named = {}
        if draw.rng.random() < 0.8:
            named["axis"] = draw.axis(x.ndim)
        if draw.rng.random() < 0.6:
            named["keepdims"] = bool(draw.one([True, False]))
        if name == "var" and draw.rng.random() < 0.5:
            named["ddof"] = draw.one([0, 1, 2])

        def scale(x, **named):
            named.pop("ddof", None)
            x = np.abs(np.nan_to_num(x.astype(np.float64), posinf=0, neginf=0))
            return f(x * x, **named) * 10 + np.max(x * x, initial=0) if name == "var" else np.sum(x)
        return compare(name, f, f, [x], scale, **named)
    return calls


def cumsum(draw):
    x = draw.tensor()
    axis = draw.axis(x.ndim)
    named = {} if axis is None and draw.one([True, False]) else {"axis": axis}
    return compare("cumsum", np.cumsum, np.cumsum, [x],
                   lambda x, **_: np.sum(np.abs(np.nan_to_num(x, posinf=0, neginf=0))), **named)


def with_argument(name, argument):
    """Returns a comparison of f(x, argument); argument(draw, x) draws the argument, a shape."""
    f = getattr(np, name)

    def calls(draw):
        x = draw.tensor()
        second = argument(draw, x)
        call = lambda x: f(x, second)
        return compare(f"{name} {second}", call, call, [x])
    return calls


def a_shape(draw, x):
    sizes = [n for n in (1, 2, 3, 4, 6, 12, x.size) if n]
    return draw.one([x.size, -1, (x.size,), (-1, draw.one(sizes)), (draw.one(sizes), -1), x.shape[::-1],
                     (1, *x.shape), (draw.one(sizes), draw.one(sizes)), (), (0, -1), [2, 3]])


def some_axes(draw, x):
    order = draw.rng.permutation(x.ndim)
    return draw.one([None, tuple(order.tolist()), tuple((order - x.ndim).tolist()), (0,), (0, 0),
                     (0, 3)])


def a_larger_shape(draw, x):
    return draw.one([x.shape, (2, *x.shape), (3,), (2, 3), (2, 2, 3), 3, (0, 3), (), (-1, 3)])


def where(draw):
    x = draw.tensor()
    y = draw.operand_for(x)
    mask = draw.rng.random(draw.one([x.shape, (), (3,), (2, 1)])) < 0.5
    given = draw.one([mask, mask.tolist(), tapehead.tensor(mask)])
    pair = draw.one([[x, y], [y, x]])
    return compare("where", lambda a, b: np.where(given, a, b), lambda a, b: np.where(mask, a, b),
                   pair)


def clip(draw):
    x = draw.tensor()
    numbers = [None, -1, 1, 2] if x.dtype == "i32" else [None, -1, -1.5, 0.1, 2]
    bounds = [draw.one([*numbers, draw.array((), x.dtype, special=False),
                        draw.tensor(shape=(3,), dtype=x.dtype)]) for _ in "ab"]
    there = [i for i, bound in enumerate(bounds) if bound is not None]
    if not there:  # NumPy 1 raises an error
        return False

    def clipped(x, *given):
        low, high = (given[there.index(i)] if i in there else None for i in range(2))
        return np.clip(x, low, high) if draw.one([True, False]) else np.clip(x, a_min=low, a_max=high)
    return compare("clip", clipped, clipped, [x, *(bounds[i] for i in there)])


def joined(name):
    f = getattr(np, name)

    def calls(draw):
        first = draw.tensor()
        parts = [first]
        for _ in range(draw.one([0, 1, 2])):
            shape = draw.one([first.shape, first.shape, draw.one(SHAPES)])
            part = draw.array(shape, first.dtype)
            parts.append(draw.one([part, tapehead.tensor(part)]))
        named = {} if draw.rng.random() < 0.3 else {
            "axis": draw.one([None, *range(-first.ndim - 1, first.ndim + 2)])}
        return compare(name, lambda *parts, **named: f(parts, **named),
                       lambda *parts, **named: f(parts, **named), parts, **named)
    return calls


def dot(draw):
    """Compares dot for finite numbers: in NumPy's, 0 times NaN can be 0."""
    n, dtype = draw.one([0, 1, 3]), draw.one(["f32", "f64", "i32"])
    before, after = (draw.one([(), (2,), (2, 2)]) for _ in "ab")
    pair = draw.one([
        [draw.array((*before, n), dtype, False),
         draw.array((*after[:-1], n, *after[-1:]), dtype, False)],
        [draw.array(None, dtype, False), draw.one([2, 0.5, draw.array((), dtype, False)])],
        [draw.array((*before, 3), dtype, False), draw.array(None, dtype, False)]])
    pair[0] = tapehead.tensor(pair[0])
    return compare("dot", np.dot, np.dot, draw.one([pair, pair[::-1]]), PRODUCTS["dot"])


SHAPING = {
    **{name: reduction(name) for name in ("sum", "mean", "max", "var")}, "cumsum": cumsum,
    "reshape": with_argument("reshape", a_shape), "transpose": with_argument("transpose", some_axes),
    "broadcast_to": with_argument("broadcast_to", a_larger_shape), "where": where, "clip": clip,
    "concatenate": joined("concatenate"), "stack": joined("stack"), "dot": dot}


def test_every_function_is_compared():
    assert {getattr(np, name) for name in SHAPING} == set(_numpy.shaping)


@pytest.mark.parametrize("name", SHAPING)
def test_functions(name):
    draw = Draw(4)
    assert sum(SHAPING[name](draw) for _ in range(2 * CALLS)) > CALLS / 2


@pytest.mark.parametrize("name", ["floor", "isnan", "sign", "min", "argmax", "std", "prod", "median",
                                  "ravel", "sort", "cumprod", "any"])
def test_functions_without_an_op_give_arrays(name):
    f, draw = getattr(np, name), Draw(5)
    for x in [draw.array() for _ in range(CALLS // 5)]:
        right, error = attempt(f, x)
        found, theirs = attempt(f, tapehead.tensor(x))
        assert type(theirs) is type(error)
        if error is None:
            np.testing.assert_array_equal(found, right, strict=True)
