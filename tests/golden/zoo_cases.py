"""The layers of parts/zoo, computed from the formulas in their papers with full T x T maps."""
import math

import torch
import torch.nn.functional as F

import mixers
from golden_file import GoldenFile, normal


def causal(scores, seen=None):
    """Softmax over the keys that a query sees: those at or before it that are also in `seen`."""
    lower = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~(lower if seen is None else lower & seen), -math.inf).softmax(-1)


def apart(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def together(x):
    return x.transpose(1, 2).flatten(-2)


def rms(x, gain):
    return x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * gain


def turn(x):
    """x (..., time, width): pairs (i, i + width / 2), rotated by position * 10000^(-2i / width)."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


class Case:
    """A layer's random parameters, named as by its `visit`."""

    def __init__(self, file, name, time, width=8, heads=2, batch=2, **options):
        file.case(name, width=width, heads=heads, **options)
        self.file, self.width, self.heads, self.p = file, width, heads, {}
        self.x = normal(batch, time, width)

    def draw(self, name, *shape, scale=0.5):
        self.p[name] = normal(*shape, scale=scale)
        return self.p[name]

    def linear(self, name, out, x, bias=True):
        weight = self.draw(f"{name}.weight", out, x.shape[-1])
        return F.linear(x, weight, self.draw(f"{name}.bias", out) if bias else None)

    def qkv(self, name="qkv", kv_heads=None):
        kv = self.width // self.heads * (kv_heads or self.heads)
        return self.linear(name, self.width + 2 * kv, self.x).split([self.width, kv, kv], -1)

    def done(self, heads):
        """Projects heads (batch, time, ...) to the output."""
        self.file.differentiate(self.linear("out", self.width, heads), {"x": self.x})
        self.file.add_named(self.p, "state.")
        self.file.add_named({name: p.grad for name, p in self.p.items()}, "d.")


def gated_heads(file):
    c = Case(file, "gated-heads", 5, layer="gated-heads")
    q, k, v = (apart(y, 2) for y in c.qkv("attention.qkv"))
    y = together(causal(q @ k.mT / 2) @ v)
    c.done(y * c.linear("gate", 8, c.x, bias=False).sigmoid())


def differential(file, name, kv_heads, start):
    c = Case(file, name, 5, layer="differential", kv_heads=kv_heads, lambda_=start)
    d, groups = 2, 2 // kv_heads
    q, k, v = c.qkv(kv_heads=kv_heads)
    v = apart(v, kv_heads).repeat_interleave(groups, 1)  # (batch, heads, time, 2d)
    l_q1, l_k1, l_q2, l_k2 = (c.draw(f"lambda_{n}", d) for n in ("q1", "k1", "q2", "k2"))
    maps = [causal(apart(a, 2) @ apart(b, kv_heads).repeat_interleave(groups, 1).mT / math.sqrt(d))
            for a, b in zip(q.chunk(2, -1), k.chunk(2, -1))]
    much = (l_q1 @ l_k1).exp() - (l_q2 @ l_k2).exp() + start
    y = rms((maps[0] - much * maps[1]) @ v, c.draw("norm.gain", 2 * d)) * (1 - start)
    c.done(together(y))


def sinks(file, name, time, window, first, kv_heads=2, rotary=False):
    c = Case(file, name, time, layer="sinks", window=window, sinks=first, kv_heads=kv_heads,
             rotary=rotary)
    q, k, v = c.qkv(kv_heads=kv_heads)
    q = apart(q, 2)
    k, v = (apart(y, kv_heads).repeat_interleave(2 // kv_heads, 1) for y in (k, v))
    if rotary:
        q, k = turn(q), turn(k)
    i, j = torch.arange(time)[:, None], torch.arange(time)[None]
    c.done(together(causal(q @ k.mT / 2, (i - j < window) | (j < first)) @ v))


def linear(file, name, time, batch):
    c = Case(file, name, time, batch=batch, width=4, layer="linear")
    q, k, v = (apart(y, 2) for y in c.qkv())
    weights = ((F.elu(q) + 1) @ (F.elu(k) + 1).mT).tril()
    c.done(together(weights / weights.sum(-1, keepdim=True) @ v))


def latent(file, name, width, rotary):
    """Returns the keys and values of all heads, computed from the latents."""
    c = Case(file, name, 5, layer="latent", latent=width, rotary=rotary)
    d, d_r = 4, 2 if rotary else 0
    q_r, q_c = c.linear("query", 2 * (d_r + d), c.x).split([2 * d_r, 2 * d], -1)
    r, latents = c.linear("down", d_r + width, c.x).split([d_r, width], -1)
    latents = rms(latents, c.draw("norm.gain", width))
    k_c = apart(c.linear("up_keys", 2 * d, latents, bias=False), 2)
    v = apart(c.linear("up_values", 2 * d, latents, bias=False), 2)
    q, k = apart(q_c, 2), k_c
    if rotary:
        q = torch.cat([q, turn(apart(q_r, 2))], -1)
        k = torch.cat([k, turn(apart(r, 1)).expand(-1, 2, -1, -1)], -1)
    c.done(together(causal(q @ k.mT / math.sqrt(d + d_r)) @ v))


def switch_head(file, name, experts, active, rotary=False):
    """Computes each token's experts one by one."""
    c = Case(file, name, 4, layer="switchhead", experts=experts, active=active, rotary=rotary)
    d, (batch, time) = 4, c.x.shape[:2]
    q, k = (apart(c.linear(n, 8, c.x), 2) for n in ("query", "key"))
    if rotary:
        q, k = turn(q), turn(k)
    gates = {n: c.linear(n, 2 * experts, c.x, bias=False).sigmoid().unflatten(-1, (2, experts))
             for n in ("value_router", "out_router")}
    each = c.linear("value", 2 * experts * d, c.x, bias=False).unflatten(-1, (2, experts, d))
    v = torch.zeros(batch, time, 2, d)
    for place in [(b, t, h) for b in range(batch) for t in range(time) for h in range(2)]:
        for e in gates["value_router"][place].topk(active).indices:
            v[place] = v[place] + gates["value_router"][place][e] * each[place][e]
    y = (causal(q @ k.mT / 2) @ v.transpose(1, 2)).transpose(1, 2)  # (batch, time, heads, d)
    out = torch.zeros(batch, time, 2, experts, d)
    for place in [(b, t, h) for b in range(batch) for t in range(time) for h in range(2)]:
        for e in gates["out_router"][place].topk(active).indices:
            out[place][e] = gates["out_router"][place][e] * y[place]
    c.done(out.flatten(2))


def mixer(file, layer, time, shapes, **options):
    """A recurrent mixer of width 8 with parameters of these shapes, and an output projection."""
    formula = layer.replace("-", "_")
    c = Case(file, formula, time, layer=layer, **options)
    for name, shape in {**shapes, "out": options.get("expand", 1) * 8}.items():
        if name == "out":
            c.draw("out.weight", 8, shape)
            c.draw("out.bias", 8)
        elif isinstance(shape, int):  # a linear layer, with or without a convolution
            c.draw(f"{name}.weight", shape, 8)
            c.draw(f"{name}.bias", shape)
        else:
            c.draw(name, *shape)
    y = getattr(mixers, formula)(c.p, c.x, **({} if layer == "lstm" else {"heads": 2}))
    file.differentiate(y, {"x": c.x})
    file.add_named(c.p, "state.")
    file.add_named({name: p.grad for name, p in c.p.items()}, "d.")


def mixer_cases(file):
    def convolution(**widths):
        return {f"{name}.convolution.{part}": shape for name, n in widths.items()
                for part, shape in {"weight": (4, n), "bias": (n,)}.items()}

    decay = {"step.weight": (2, 8), "step_bias": (2,), "rate": (2,)}
    mixer(file, "lstm", 6, {"in": 32, "recurrent": (32, 8)})
    mixer(file, "gla", 37, {"query": 4, "key": 4, "value": 8, "gate": 8,
                            "decay_down.weight": (16, 8), "decay_up.weight": (4, 16),
                            "decay_up.bias": (4,), "norm.gain": (4,)})
    mixer(file, "mamba2", 37, {"query": 3, "key": 3, "value": 16, "gate": 16, **decay,
                               **convolution(query=3, key=3, value=16), "skip": (2, 1, 1),
                               "norm.gain": (16,)}, expand=2, state=3)
    mixer(file, "gated-deltanet", 37, {"query": 8, "key": 8, "value": 8, "gate": 8, "beta": 2,
                                       **decay, **convolution(query=8, key=8, value=8),
                                       "norm.gain": (4,)})


def zoo_file():
    f = GoldenFile("zoo")
    gated_heads(f)
    differential(f, "differential", kv_heads=2, start=0.8)
    differential(f, "differential_shared_keys", kv_heads=1, start=0.2)
    sinks(f, "sinks", time=9, window=2, first=1)
    sinks(f, "sinks_rotary_shared_keys", time=11, window=3, first=2, kv_heads=1, rotary=True)
    sinks(f, "sinks_none", time=8, window=3, first=0)
    sinks(f, "sinks_and_one_key", time=7, window=1, first=4)
    sinks(f, "sinks_beyond_the_time", time=5, window=3, first=8)
    linear(f, "linear", time=5, batch=2)
    linear(f, "linear_of_many_chunks", time=150, batch=1)
    latent(f, "latent", width=3, rotary=False)
    latent(f, "latent_rotary", width=5, rotary=True)
    switch_head(f, "switchhead", experts=3, active=2)
    switch_head(f, "switchhead_one_of_two_rotary", experts=2, active=1, rotary=True)
    switch_head(f, "switchhead_all", experts=2, active=2)
    mixer_cases(f)
    f.write()
