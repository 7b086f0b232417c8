"""Compares derivatives of attention, with each of its options, with PyTorch."""
import numpy as np
import pytest

import tapehead as ours

torch = pytest.importorskip("torch")
from torch_reference import LARGEST_ERROR, Compared, attention


class Combination:
    """Random attention options and inputs, as in tests/core/attention_test.cpp."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        below = lambda n: int(self.draw.integers(n))
        normal = lambda *shape: np.asarray(self.draw.normal(size=shape))
        batch, queries, kv_heads = 1 + below(2), 1 + below(4), 1 + below(2)
        heads = kv_heads * (1 + below(3))
        keys = queries if below(2) else 1 + below(5)
        d, e = 1 + below(3), 1 + below(3)
        extra = below(2) * below(3)
        self.options = {"causal": bool(below(2)), "hide_self": below(4) == 0, "extra": extra,
                        "window": 0 if below(3) else 1 + below(keys),
                        "mask_before_scale": bool(below(2))}
        self.names = ["q", "k", "v"]
        self.inputs = [normal(batch, heads, queries, d), normal(batch, kv_heads, extra + keys, d),
                       normal(batch, kv_heads, extra + keys, e)]
        shapes = [(queries, keys), (batch, queries, keys), (batch * heads, queries, keys),
                  (batch, heads, queries, keys), (1, heads, 1, keys), (batch, 1, queries, 1),
                  (keys,)]
        self.mask("mask", shapes[below(7)], below(4))
        self.mask("key_mask", (batch, keys), below(4))
        reach = below(4)
        scalars = lambda: () if below(2) else (heads,)
        for name, shape in {"relative_keys": (2 * reach + 1, d),
                            "relative_values": (2 * reach + 1, e),
                            "bias": ([1, heads][below(2)], queries + keys - 1),
                            "scale": scalars(), "temperature": scalars()}.items():
            if below(3) == 0:
                self.add(name, normal(*shape))

    def add(self, name, value):
        self.names.append(name)
        self.inputs.append(value)

    def mask(self, name, shape, kind):
        """Returns a mask: none, boolean, additive with some -inf, or one with gradients."""
        may = self.draw.random(shape) < 0.7
        if kind == 1:
            self.options[name] = may
        elif kind == 2:
            self.options[name] = np.where(may, self.draw.normal(size=shape), -np.inf)
        elif kind == 3:
            self.add(name, np.asarray(self.draw.normal(size=shape)))


def compare_attention(names, inputs, options, draw):
    constants = {name: torch.tensor(value) if isinstance(value, np.ndarray) else value
                 for name, value in options.items()}

    def f(*x):
        return ours.attention(**dict(zip(names, x)), **options)

    def g(*x):
        return attention(**dict(zip(names, x)), **constants)
    compared = Compared(f, g, inputs, draw)
    return max(compared.of_jvp(), compared.of_hvp())


def test_attention_of_random_combinations():
    worst = 0
    for seed in range(360):
        c = Combination(seed)
        found = compare_attention(c.names, c.inputs, c.options, c.draw)
        shapes = {name: x.shape for name, x in zip(c.names, c.inputs)}
        assert found < LARGEST_ERROR, f"combination {seed}: {found}\n{shapes}\n{c.options}"
        worst = max(worst, found)
    print("360 combinations of attention:", worst)


SIZES = {  # batch, heads, queries, keys, width d of keys, width e of values
    "one element": (1, 1, 1, 1, 1, 1), "more keys than queries": (1, 2, 2, 4, 3, 2),
    "fewer keys than queries": (1, 1, 4, 2, 2, 2),
    "more queries than a block": (1, 1, 70, 70, 2, 2), "no queries": (1, 2, 0, 3, 2, 2),
    "no keys": (1, 2, 3, 0, 2, 2), "no examples": (0, 2, 3, 3, 2, 2)}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", SIZES)
def test_attention_of_sizes(name, causal):
    batch, heads, queries, keys, d, e = SIZES[name]
    draw = np.random.default_rng(1)
    inputs = [draw.normal(size=(batch, heads, n, width))
              for n, width in ((queries, d), (keys, d), (keys, e))]
    assert compare_attention("qkv", inputs, {"causal": causal}, draw) < LARGEST_ERROR


def test_a_temperature_that_its_clamp_holds():
    draw = np.random.default_rng(1)
    inputs = [*draw.normal(size=(3, 1, 2, 2, 2)), np.array([5, -0.5])]
    assert compare_attention(["q", "k", "v", "temperature"], inputs, {}, draw) < LARGEST_ERROR


def heads_apart(x, heads):
    """Converts (batch, time, heads * d) to (batch, heads, time, d)."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def heads_together(x):
    return x.transpose(1, 2).flatten(2)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "window": 2},
                                     {"hide_self": True}])
@pytest.mark.parametrize("heads, kv_heads", [(2, 2), (4, 2), (3, 1)])
def test_heads_side_by_side(heads, kv_heads, options):
    draw = np.random.default_rng(1)
    x = draw.normal(size=(2, 4, (heads + 2 * kv_heads) * 2))

    def parts(x):
        return torch.split(x, [2 * heads, 2 * kv_heads, 2 * kv_heads], 2)

    def g(q, k, v):
        return heads_together(attention(heads_apart(q, heads), heads_apart(k, kv_heads),
                                        heads_apart(v, kv_heads), **options))

    together = Compared(lambda x: ours.self_attention(x, heads, kv_heads, **options),
                        lambda x: g(*parts(x)), [x], draw)
    apart = Compared(lambda *qkv: ours.multi_head_attention(*qkv, heads, kv_heads, **options), g,
                     [part.numpy() for part in parts(torch.tensor(x))], draw)
    for compared in (together, apart):
        assert max(compared.of_jvp(), compared.of_hvp()) < LARGEST_ERROR


@pytest.mark.parametrize("heads, width, first, back", [
    (2, 4, 0, False), (2, 2, 7, False), (1, 2, 1, True)])
def test_rotary(heads, width, first, back):
    draw = np.random.default_rng(1)
    x = draw.normal(size=(2, 3, heads * width + 1))  # rotary copies the last column
    pairs = torch.arange(0, width, 2, dtype=torch.float64)
    angles = torch.arange(first, first + 3)[:, None, None] * 10000 ** (-pairs / width)
    cos, sin = torch.cos(angles), torch.sin(-angles if back else angles)

    def g(x):
        a, b = x[..., :-1].unflatten(-1, (heads, width)).chunk(2, -1)
        turned = torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
        return torch.cat([turned.flatten(2), x[..., -1:]], -1) ** 2

    compared = Compared(lambda x: ours.rotary(x, heads, width, first, back=back) ** 2, g, [x], draw)
    assert max(compared.of_jvp(), compared.of_hvp()) < LARGEST_ERROR
