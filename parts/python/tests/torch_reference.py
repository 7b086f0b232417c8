"""Reference derivatives, computed by PyTorch in f64."""
import math

import numpy as np
import torch
import torch.nn.functional as F

import tapehead as ours

LARGEST_ERROR = 1e-10  # relative to a derivative's largest element, at least 0.01


def torches(arrays):
    return [torch.tensor(array) for array in arrays]


def array(x):
    return x.numpy(force=True) if isinstance(x, torch.Tensor) else np.asarray(x)


def flat(tensors):
    return np.concatenate([array(x).reshape(-1) for x in tensors])


def error(mine, right):
    """Returns the largest difference relative to the largest element; inf if shapes differ."""
    mine, right = array(mine), array(right)
    if mine.shape != right.shape:
        return math.inf
    scale = max(0.01, np.abs(right).max(initial=0))
    worst = (np.abs(mine - right) / scale).max(initial=0)
    return math.inf if np.isnan(worst) else worst


def weighted(sum_of, f, weights):
    """Returns a scalar function: the sum of f's values multiplied by the weights."""
    return lambda *x: sum_of(f(*x) * weights)


class Compared:
    """Compares derivatives of f with derivatives of g, the same function in PyTorch."""

    def __init__(self, f, g, inputs, draw):
        self.f, self.g, self.x, self.z = f, g, inputs, torches(inputs)
        self.v = [np.asarray(draw.normal(size=x.shape)) for x in inputs]
        weights = np.asarray(draw.normal(size=tuple(g(*self.z).shape)))
        self.loss = weighted(ours.sum, f, weights)
        self.theirs = weighted(torch.sum, g, torch.tensor(weights))
        self.all = tuple(range(len(inputs)))

    def of_jvp(self):
        y, dy = ours.jvp(self.f, self.x, self.v, zeros=True)
        right, slope = torch.func.jvp(self.g, tuple(self.z), tuple(torches(self.v)))
        return max(error(y, right), error(dy, slope))

    def of_hvp(self):
        _, products = ours.hvp(self.loss, self.x, self.v, zeros=True)
        _, right = torch.func.jvp(torch.func.grad(self.theirs, self.all), tuple(self.z),
                                  tuple(torches(self.v)))
        return error(flat(products), flat(right))

    def of_hessian(self):
        sizes = [x.size for x in self.x]
        blocks = ours.hessian(self.loss, self.x, zeros=True)
        dense = np.block([[np.asarray(block).reshape(a, b) for block, b in zip(row, sizes)]
                          for row, a in zip(blocks, sizes)])
        shapes = [x.shape for x in self.x]

        def of_one(z):
            return self.theirs(*[part.reshape(shape)
                                 for part, shape in zip(torch.split(z, sizes), shapes)])
        return error(dense, torch.func.hessian(of_one)(torch.tensor(flat(self.x))))


def layer_norm(x, gain=1, bias=0):
    """Replaces F.layer_norm: in PyTorch 2.13, torch.func.hessian with respect to both its weight
    and its input is wrong (torch.autograd.functional.hessian is correct)."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * gain + bias


def attention(q, k, v, mask=None, temperature=None, key_mask=None, bias=None, relative_keys=None,
              relative_values=None, scale=None, causal=False, hide_self=False, window=0, extra=0,
              mask_before_scale=False):
    """Computes attention from single ops, as specified in core/ops.hpp."""
    heads, queries, d = q.shape[1:]
    k, v = (x.repeat_interleave(heads // x.shape[1], 1) for x in (k, v))
    keys = k.shape[2] - extra
    distance = torch.arange(keys) - (torch.arange(queries)[:, None] + keys - queries)
    visible = torch.ones(q.shape[0], heads, queries, keys, dtype=torch.bool)
    if causal:
        visible = visible & (distance <= 0)
    if hide_self:
        visible = visible & (distance != 0)
    if window:
        visible = visible & (distance.abs() < window)

    added = torch.zeros(queries, keys, dtype=q.dtype)
    if mask is not None and mask.dim() == 3:
        of_examples = mask.shape[0] == q.shape[0]
        mask = mask[:, None] if of_examples else mask.reshape(-1, heads, queries, keys)
    for each in (mask, None if key_mask is None else key_mask[:, None, None]):
        if each is not None and each.is_floating_point():
            visible = visible & (each > -math.inf)
            added = added + torch.where(each > -math.inf, each, 0)
        elif each is not None:
            visible = visible & (each != 0)

    def among_all(x):  # puts the extra keys, without a bias, before the others
        return F.pad(x, (extra, 0))

    scores = q @ k.transpose(-1, -2)
    if relative_keys is not None:
        reach = relative_keys.shape[0] // 2
        near = relative_keys[reach + distance.clamp(-reach, reach)]  # (queries, keys, d)
        scores = scores + among_all((q[:, :, :, None] * near).sum(-1))
    factor = q.new_tensor(1 / math.sqrt(d)) if scale is None else scale.reshape(-1, 1, 1)
    if temperature is not None:
        factor = factor * temperature.clamp(-math.log(100), math.log(100)).exp().reshape(-1, 1, 1)
    if mask_before_scale:
        scores = (scores + among_all(added)) * factor
    else:
        scores = scores * factor + among_all(added)
    if bias is not None:
        scores = scores + among_all(bias[:, keys - 1 + distance])
    weights = torch.where(F.pad(visible, (extra, 0), value=True), scores.exp(), 0)
    total = weights.sum(-1, keepdim=True)
    weights = weights / torch.where(total == 0, 1, total)  # zeros if a query sees no keys
    y = weights @ v
    if relative_values is not None:
        reach = relative_values.shape[0] // 2
        near = relative_values[reach + distance.clamp(-reach, reach)]  # (queries, keys, e)
        y = y + (weights[..., extra:, None] * near).sum(-2)
    return y
