"""The recurrent mixers of parts/zoo in PyTorch: loops over time, written from the papers' formulas.
`p` has a layer's parameters by name, x is (batch, time, width)."""
import math

import torch
import torch.nn.functional as F


def linear(p, name, x):
    return F.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))


def rms(x, gain):
    return x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * gain


def convolved(p, name, x):
    """Returns silu(b + sum of w_i z_(t-i)) for z = W x, each channel with its own weights."""
    z, w, rows = linear(p, name, x), p[f"{name}.convolution.weight"], []
    for t in range(x.shape[1]):
        y = p[f"{name}.convolution.bias"].expand(x.shape[0], -1)
        for back in range(min(len(w), t + 1)):
            y = y + w[back] * z[:, t - back]
        rows.append(y)
    return F.silu(torch.stack(rows, 1))


def lstm(p, x):
    hidden = p["recurrent"].shape[1]
    h = c = x.new_zeros(x.shape[0], hidden)
    rows = []
    for z in linear(p, "in", x).unbind(1):
        i, f, g, o = (z + h @ p["recurrent"].T).split(hidden, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        rows.append(h)
    return linear(p, "out", torch.stack(rows, 1))


def recurrence(q, k, v, decay, beta=None):
    """q, k (batch, time, heads, d), v (..., e), decay (..., 1 or d) -> (batch, time, heads, e)."""
    state = v.new_zeros(*k[:, 0].shape, v.shape[-1])
    rows = []
    for t in range(v.shape[1]):
        state = decay[:, t, :, :, None] * state
        u = v[:, t]
        if beta is not None:
            u = beta[:, t] * (u - torch.einsum("bhde,bhd->bhe", state, k[:, t]))
        state = state + torch.einsum("bhd,bhe->bhde", k[:, t], u)
        rows.append(torch.einsum("bhde,bhd->bhe", state, q[:, t]))
    return torch.stack(rows, 1)


def gla(p, x, heads):
    decay = linear(p, "decay_up", linear(p, "decay_down", x)).sigmoid() ** (1 / 16)
    q, k, v = (linear(p, name, x) for name in ("query", "key", "value"))
    q, k, v, decay = (y.unflatten(-1, (heads, -1)) for y in (q, k, v, decay))
    y = rms(recurrence(q / q.shape[-1] ** 0.5, k, v, decay), p["norm.gain"])
    return linear(p, "out", y.flatten(2) * F.silu(linear(p, "gate", x)))


def step_and_decay(p, x):
    """Returns dt (batch, time, heads) and the decays, exp(-dt A)."""
    step = F.softplus(linear(p, "step", x) + p["step_bias"] + math.log(0.01))
    return step, torch.exp(-step * 4 * p["rate"].exp())


def mamba2(p, x, heads):
    u = convolved(p, "value", x).unflatten(-1, (heads, -1))
    step, decay = step_and_decay(p, x)
    shared = (convolved(p, name, x)[:, :, None].expand(-1, -1, heads, -1)
              for name in ("query", "key"))
    y = recurrence(*shared, u * step[..., None], decay[..., None])
    y = (y + p["skip"].reshape(heads, 1) * u).flatten(2)
    return linear(p, "out", rms(y * F.silu(linear(p, "gate", x)), p["norm.gain"]))


def gated_deltanet(p, x, heads):
    q, k, v = (convolved(p, name, x).unflatten(-1, (heads, -1))
               for name in ("query", "key", "value"))
    q, k = (y / (y.square().sum(-1, keepdim=True) + 1e-6).sqrt() for y in (q, k))
    _, decay = step_and_decay(p, x)
    beta = linear(p, "beta", x).sigmoid()
    y = recurrence(q / q.shape[-1] ** 0.5, k, v, decay[..., None], beta[..., None])
    y = rms(y, p["norm.gain"]).flatten(2)
    return linear(p, "out", y * F.silu(linear(p, "gate", x)))
