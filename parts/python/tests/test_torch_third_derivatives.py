"""Compares third derivatives, by all combinations of differentiation functions, with PyTorch."""
import numpy as np
import pytest

import tapehead as ours

torch = pytest.importorskip("torch")
from torch_reference import F, LARGEST_ERROR, attention, error, layer_norm, torches

W = np.random.default_rng(7).normal(size=(3, 3))
THIRD = {
    "a polynomial": (lambda x: ours.sum(x * x * x * x @ W), lambda x: (x * x * x * x @ w).sum()),
    "tanh of a product": (lambda x: ours.sum(ours.tanh(x @ W)), lambda x: torch.tanh(x @ w).sum()),
    "products of itself": (lambda x: ours.sum(x @ x @ x), lambda x: (x @ x @ x).sum()),
    "exp and sin": (lambda x: ours.sum(ours.exp(x) * ours.sin(x)),
                    lambda x: (torch.exp(x) * torch.sin(x)).sum()),
    "a quotient": (lambda x: ours.sum(W / (1 + x * x)), lambda x: (w / (1 + x * x)).sum()),
    "gelu": (lambda x: ours.sum(ours.gelu(x, form="erf") @ W), lambda x: (F.gelu(x) @ w).sum()),
    "softmax": (lambda x: ours.sum(ours.softmax(x) * W), lambda x: (F.softmax(x, -1) * w).sum()),
    "cross-entropy": (lambda x: ours.cross_entropy(x, [0, 2, 1]),
                      lambda x: F.cross_entropy(x, torch.tensor([0, 2, 1]))),
    "layer_norm": (lambda x: ours.sum(ours.layer_norm(x) * W),
                   lambda x: (layer_norm(x) * w).sum()),
    "attention": (lambda x: ours.sum(ours.attention(x, x @ W, x, causal=True) * W),
                  lambda x: (attention(x[None, None], (x @ w)[None, None], x[None, None],
                                       causal=True) * w).sum()),
}
w = torch.tensor(W)


@pytest.mark.parametrize("name", THIRD)
def test_third_derivatives(name):
    f, g = THIRD[name]
    draw = np.random.default_rng(3)
    x, u, v, t = draw.normal(size=(4, 3, 3))
    z, tu, tv, tt = torches((x, u, v, t))
    slope = lambda h, z, v: torch.func.jvp(h, (z,), (v,))[1]
    right = slope(lambda z: slope(torch.func.grad(g), z, tu), z, tv)
    along = ours.jvp(lambda x: ours.hvp(f, x, u)[1], x, v)[1]
    twice = lambda x: ours.jvp(lambda x: ours.jvp(f, x, u)[1], x, v)[1]
    forward = ours.jvp(twice, x, t)[1]
    whole = ours.jacobian(lambda x: ours.hessian(f, x), x)
    worst = max(error(along, right), error(forward, (right * tt).sum()),
                error(whole, torch.func.jacfwd(torch.func.hessian(g))(z)))
    print(f"third derivatives of {name}: {worst:.1e}")
    assert worst < LARGEST_ERROR
