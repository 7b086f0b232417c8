"""Compares values and derivatives of single ops with PyTorch."""
import numpy as np
import pytest

import tapehead as ours

torch = pytest.importorskip("torch")
from torch_reference import F, LARGEST_ERROR, Compared

PLACES = [[2, 0, 2], [1, 1, 3]]
TARGETS = [2, -1]


def losses(x, label_smoothing=0.0):
    return F.cross_entropy(x, torch.tensor(TARGETS), reduction="none", ignore_index=-1,
                           label_smoothing=label_smoothing)


# Functions of a (2, 4) matrix in Tapehead and in PyTorch.
OPS = {
    "log1p": (lambda x: ours.log1p(x * x - 0.5), lambda x: torch.log1p(x * x - 0.5)),
    "softplus": (lambda x: ours.softplus(10 * x), lambda x: F.softplus(10 * x, threshold=1e9)),
    "cumsum": (lambda x: ours.exp(ours.cumsum(x)), lambda x: torch.exp(torch.cumsum(x, -1))),
    "cumsum of columns, from the end": (lambda x: ours.exp(ours.cumsum(x, 0, True)),
                                        lambda x: torch.exp(x.flip(0).cumsum(0).flip(0))),
    "gather": (lambda x: ours.gather(x * x, PLACES),
               lambda x: torch.gather(x * x, 1, torch.tensor(PLACES))),
    "top_k": (lambda x: ours.top_k(x, 3) ** 3, lambda x: torch.topk(x, 3).values ** 3),
    "cross_entropy": (lambda x: ours.cross_entropy(x, TARGETS, "none"), losses),
    "cross_entropy, smoothed": (
        lambda x: ours.cross_entropy(x, TARGETS, "none", label_smoothing=0.2),
        lambda x: losses(x, 0.2)),
    "mse": (lambda x: ours.mse(x, x * x, "none"), lambda x: F.mse_loss(x, x * x, reduction="none")),
}


@pytest.mark.parametrize("name", OPS)
def test_derivatives(name):
    draw = np.random.default_rng(1)
    compared = Compared(*OPS[name], [draw.normal(size=(2, 4))], draw)
    for kind in ("jvp", "hvp", "hessian"):
        assert getattr(compared, f"of_{kind}")() < LARGEST_ERROR, kind


def test_largest_elements_are_numpys():
    x = np.random.default_rng(1).integers(0, 4, size=(50, 9)).astype(np.float32)  # has ties
    x[::3, 5] = np.nan
    order = np.argsort(np.where(np.isnan(x), -np.inf, -x), axis=-1, kind="stable")
    assert (ours.argmax(x).numpy() == np.argmax(x, -1)).all()
    assert (ours.argmax(x, 0, keep=True).numpy() == np.argmax(x, 0, keepdims=True)).all()
    assert (ours.top_k(x, 4, "ids").numpy() == order[:, :4]).all()
    assert np.array_equal(ours.top_k(x, 4).numpy(), np.take_along_axis(x, order[:, :4], -1),
                          equal_nan=True)


def test_whole_numbers():
    a, b = np.array([[7], [-3]], np.int32), np.array([2, 5, -1], np.int32)
    for op, right in [(ours.add, a + b), (ours.sub, a - b), (ours.mul, a * b),
                      (ours.maximum, np.maximum(a, b)), (ours.minimum, np.minimum(a, b))]:
        assert op(a, b).dtype == "i32" and (op(a, b).numpy() == right).all()
    assert (ours.tensor(b) * 2 + 1).numpy().tolist() == [5, 11, -1]
    with pytest.raises(ValueError, match="add: 2147483647 and 1 give 2147483648, which doesn't fit"):
        ours.add(np.array(2147483647, np.int32), np.array(1, np.int32))
    half = ours.tensor(b) * 0.5  # a product of an integer tensor and a float is a float tensor
    assert half.dtype == "f32" and half.numpy().tolist() == [1, 2.5, -0.5]
