"""Compares the recurrent mixers with loops over time in PyTorch, on random shapes: values and
gradients of x and of all parameters."""
import importlib.util
import pathlib

import numpy as np
import pytest

import tapehead as ours

torch = pytest.importorskip("torch")
from torch_reference import LARGEST_ERROR, error

SHAPES = 50


def reference():
    path = pathlib.Path(__file__).parents[3] / "tests/golden/mixers.py"
    spec = importlib.util.spec_from_file_location("mixers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_case(kind, draw):
    """Returns sizes and options: short sequences, some longer than a chunk of 32 tokens."""
    below = lambda n: int(draw.integers(n))
    heads = 1 + below(3)
    width = heads * (1 + below(5))
    own = {"expand": 1 + below(3), "state_width": 1 + below(6)} if kind == "mamba2" else {}
    if kind in ("gla", "gated-deltanet") and below(2):
        own["head_width"] = 1 + below(6)
    if kind != "lstm":
        own["heads"] = heads
    return (1 + below(3), 1 + below(8 if below(2) else 100), width), own


def compare(kind, draw, theirs):
    shape, own = random_case(kind, draw)
    model = ours.GPT(4, shape[1], layers=1, width=shape[2], attention=kind, position="none",
                     dtype="f64", seed=1, **own)
    layer = model.blocks[0].attention
    for p in layer.parameters():
        p.value = np.asarray(draw.normal(size=p.shape)) * (0.7 if len(p.shape) > 1 else 1)
    x, dy = np.asarray(draw.normal(size=shape)), np.asarray(draw.normal(size=shape))
    with ours.Tape() as tape:
        z = ours.tensor(x)
        tape.watch(z)
        y = layer(z)
        mine = [y, *tape.gradients(ours.sum(y * dy), [z, *layer.parameters()])]
    prefix = "blocks.0.attention."
    p = {path.removeprefix(prefix): torch.tensor(np.array(q.value), requires_grad=True)
         for path, q in layer.parameters.items()}
    z = torch.tensor(x, requires_grad=True)
    given = {"heads": own["heads"]} if "heads" in own else {}
    right = getattr(theirs, kind.replace("-", "_"))(p, z, **given)
    wanted = [right, *torch.autograd.grad((right * torch.tensor(dy)).sum(), [z, *p.values()],
                                          materialize_grads=True)]
    errors = dict(zip(["y", "x", *p], map(error, mine, wanted)))
    assert max(errors.values()) < LARGEST_ERROR, f"{kind} {shape} {own}: {errors}"
    return max(errors.values())


@pytest.mark.parametrize("kind", ["lstm", "gla", "mamba2", "gated-deltanet"])
def test_mixers_of_random_shapes(kind):
    draw, theirs = np.random.default_rng(1), reference()
    print(kind, max(compare(kind, draw, theirs) for _ in range(SHAPES)))
