"""The Python package: NumPy's functions, gradients, and help."""
from common import case, python


NUMPY = """
import numpy as np, tapehead as t
a = np.arange(24.0).reshape(2, 3, 4)
x, i = t.tensor(a), t.tensor([2, 4])
assert t.tensor([-3, 1, 5]).clamp(low=-1).tolist() == [-1, 1, 5]
assert np.clip(x, None, 5).numpy().max() == 5 and np.clip(x, -1, None).numpy().max() == 23
assert x.sum(keep=True).shape == np.mean(x, keepdims=True).shape == (1, 1, 1)
assert np.allclose(np.dot(x, np.transpose(a, (0, 2, 1))).numpy(), np.dot(a, a.transpose(0, 2, 1)))
assert np.concatenate([x, x], axis=None).shape == (48,)
assert np.isclose(np.expm1(t.tensor(1e-10, "f64")).item(), np.expm1(1e-10), rtol=1e-14)
assert (t.tensor([16777217]) == 16777216.0).item() == 0
for call in lambda: x.top_k(), lambda: i ** -1:
    try:
        raise SystemExit(f"not refused: {call()}")
    except (TypeError, ValueError):
        pass
"""


@case(131, "NumPy's functions and operators", python=True)
def numpy_functions():
    said = python(NUMPY)
    return said.errors[-80:] or "as NumPy's", said.status == 0


@case("132b", "var over nothing", python=True)
def var_of_nothing():
    said = python("""
import numpy as np, tapehead as t
x, dy = t.zeros(0, 2), t.ones(2)
def gradient(dy):
    with t.Tape(x) as tape:
        return tape.gradients(t.var(x, axis=0, correction=1), [x], dy, create_graph=True)[0]
with t.Tape(dy) as outer:
    total = gradient(dy).sum()
    print(outer.gradients(total, [dy])[0].tolist())
""")
    return said.short, said.text.strip() == "[0.0, 0.0]"


@case(124, "help of models and optimizers in Python", python=True)
def help_lists_options():
    for name, words in [("GPT", ["layers=2", "tied_head=True"]), ("AdamW", ["beta1=0.9", "eps="])]:
        said = python(f"import tapehead; help(tapehead.{name})")
        yield f"help({name})", all(word in said.text for word in words)
