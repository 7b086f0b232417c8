"""Tests of tensors as in a notebook: creation, computation, comparison, display, and NumPy."""
import copy
import pickle

import numpy as np
import pytest

import tapehead
from tapehead import tensor

A = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


@pytest.mark.parametrize("made, right, dtype", [
    (tapehead.zeros(2, 3), np.zeros((2, 3)), "f32"), (tapehead.ones((2,)), np.ones(2), "f32"),
    (tapehead.zeros(), 0, "f32"), (tapehead.ones(0, 3, dtype="f64"), np.ones((0, 3)), "f64"),
    (tapehead.full((2, 2), 7), np.full((2, 2), 7), "f32"), (tapehead.full(3, 1, "i32"), [1] * 3, "i32"),
    (tapehead.arange(3), [0, 1, 2], "i32"), (tapehead.arange(1, 7, 2), [1, 3, 5], "i32"),
    (tapehead.arange(0, 1, 0.25), [0, 0.25, 0.5, 0.75], "f32"),
    (tapehead.arange(3, dtype=np.float64), [0, 1, 2], "f64"), (tensor(3), 3, "i32"),
    (tensor(2.5), 2.5, "f32"), (tensor([1.0, 2]), [1, 2], "f32"), (tensor([1, 2]), [1, 2], "i32"),
    (tensor(np.ones(2)), [1, 1], "f64"), (tensor([0.1], dtype="f64"), [0.1], "f64"),
    (tensor(np.ones(2), dtype=np.float32), [1, 1], "f32"), (tensor([1.7], dtype=int), [1], "i32"),
    (tensor(tapehead.ones(2), "f64"), [1, 1], "f64"),
    (tensor([0, 2]).one_hot(3), [[1, 0, 0], [0, 0, 1]], "f32"),
    (tapehead.one_hot([1], 2, dtype="f64"), [[0, 1]], "f64")])
def test_what_is_made(made, right, dtype):
    assert made.dtype == dtype and made.shape == np.shape(right)
    np.testing.assert_array_equal(made.numpy(), right)


def test_numbers_drawn():
    same = [tapehead.randn(2, 500, seed=3).numpy() for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert abs(same[0].mean()) < 0.1 and abs(same[0].std() - 1) < 0.1
    other = [tapehead.randn(4).numpy() for _ in range(2)] + [tapehead.randn((4,), seed=4).numpy()]
    assert len({x.tobytes() for x in other}) == 3
    assert tapehead.randn(2, dtype="f64").dtype == "f64"


def test_every_op_is_a_method():
    x = tensor(A)
    for name, _, arguments in tapehead._core.ops:
        if arguments[0][1] == "tensor":
            assert callable(getattr(x, name)), name
    for found, right in [
            (x.sum(), A.sum()), (x.sum(0), A.sum(0)), (x.mean(axis=1), A.mean(1)),
            (x.mean(axis=(0, 1), keep=True), A.mean((0, 1), keepdims=True)), (x.T, A.T),
            (x.reshape(3, 2), A.reshape(3, 2)), (x.reshape((3, 2)), A.reshape(3, 2)),
            (x.reshape(-1), A.reshape(-1)), (x.reshape([6]), A.reshape(-1)),
            (x.permute(1, 0), A.T), (x.transpose(0, 1), A.T), (x[0].broadcast_to(2, 3), A[[0, 0]]),
            (x.tanh(), np.tanh(A)), (x.softmax(axis=0), np.exp(A) / np.exp(A).sum(0)),
            (x.var(axis=0, correction=1), A.var(0, ddof=1)), (x.matmul(A.T), A @ A.T),
            (x.argmax(axis=0), A.argmax(0)), (x.argmax(), A.argmax(1)), (x.cumsum(axis=0), A.cumsum(0)),
            (x.top_k(2, part="ids"), [[2, 0], [1, 0]]), (x.cast("i32"), A)]:
        np.testing.assert_allclose(found.numpy(), right)
    parts = x.split(3, axis=1)
    assert [p.shape for p in parts] == [(2, 1)] * 3
    np.testing.assert_array_equal(tapehead.concat(parts, axis=1).numpy(), A)
    np.testing.assert_array_equal(tapehead.stack([x, x]).numpy(), [A, A])


def test_what_a_tensor_says_of_itself():
    x = tensor(A)
    assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3), 2, 6, "f64")
    assert x.tolist() == A.tolist() and float(x[0, 0]) == 1 and int(x[1, 1]) == 5
    assert isinstance(tensor(3).item(), int) and isinstance(tensor(3.0).item(), float)
    assert f"{x.sum():.2f}" == "5.00" and f"{x[0]}" == "tensor([1, -2, 3], (3), f64)"
    assert round(tensor(2.345), 1) == 2.3 and round(tensor(2.5)) == 2
    assert (+x).tolist() == x.tolist() and abs(x).tolist() == np.abs(A).tolist()
    for same in copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x)):
        np.testing.assert_array_equal(same.numpy(), A, strict=True)
    assert len({x, x, tensor(A)}) == 2  # sets compare tensors by identity


def test_comparisons():
    x = tensor([1.0, 2.0])
    assert [(x == 1).tolist(), (x != 1.0).tolist(), (x == [1, 3]).tolist()] == [[1, 0], [0, 1], [1, 0]]
    assert (1 < x).tolist() == [0, 1] and (x == np.array([1.0, 2.0])).tolist() == [1, 1]
    assert not x == None and x != "a" and x is not None  # noqa: E711
    assert (tensor([1, 2]) == tensor([1, 0])).mean().item() == 0.5
    assert ((x > 1) * x).tolist() == [0, 2]


def test_vectors_multiply_as_in_numpy():
    a, v = A, np.array([1.0, 2.0, 3.0])
    for found, right in [(tensor(a) @ v, a @ v), (tensor(v) @ a.T, v @ a.T), (tensor(v) @ v, v @ v),
                         (a @ tensor(v), a @ v), (tensor(np.stack([a, a])) @ v, np.stack([a, a]) @ v)]:
        assert found.shape == right.shape
        np.testing.assert_allclose(found.numpy(), right)


def test_integers():
    x = tapehead.arange(3)
    for found, right in [(x + 1, [1, 2, 3]), (2 * x, [0, 2, 4]), (-x, [0, -1, -2]), (x ** 2, [0, 1, 4]),
                         (x - x, [0, 0, 0])]:
        assert found.dtype == "i32" and found.tolist() == right
    for found, right in [(x / 2, [0, 0.5, 1]), (x * 0.5, [0, 0.5, 1]),
                         (x * tensor([0.5, 0.5, 0.5]), [0, 0.5, 1]), (x + [0.5, 0, 0], [0.5, 1, 2]),
                         (x.mul(0.5), [0, 0.5, 1]), (tapehead.maximum([0, 2, 1], x * 0.5), [0, 2, 1])]:
        assert found.dtype == "f32" and found.tolist() == right
    with pytest.raises(ValueError, match="which doesn't fit"):
        tensor([2 ** 31 - 1]) + 1


def test_what_is_no_tensor_gets_the_type_of_the_one_beside_it():
    x = tensor([1.0, 2.0])
    for y in (x + np.ones(2), np.ones(2) + x, x * [0.5, 1], x * 2, np.float64(2) * x, x + np.arange(2),
              tapehead.maximum(x, np.zeros(2)), x @ np.eye(2), x.linear(np.ones((3, 2)))):
        assert y.dtype == "f32"
    assert (tensor(np.ones(2)) + np.ones(2, "f4")).dtype == "f64"
    with pytest.raises(ValueError, match='mul: types f32 and f64 differ; convert one with cast.x, "f32".'):
        x * tensor(np.ones(2))


def test_numpys_functions_have_gradients():
    functions = [
        lambda x: np.exp(x) + np.sqrt(np.square(x)), lambda x: np.log(np.abs(x)) * np.tanh(x),
        lambda x: np.where(x.numpy() > 0, x, 2 * x), lambda x: np.maximum(x, 0.5) / np.add(x, 9),
        lambda x: np.sum(x, axis=0, keepdims=True) * np.mean(x), lambda x: np.dot(x, np.transpose(x)),
        lambda x: np.concatenate([x, np.reshape(x, (2, 3))], axis=1), lambda x: np.clip(x, -3, 4.5),
        lambda x: np.log1p(np.exp(-x)) + np.cumsum(x, axis=1) + np.expm1(x) - np.reciprocal(x), lambda x: np.var(x, axis=1),
        lambda x: np.stack([x, x]) * np.power(np.max(x), 2) + np.cumsum(x)[5], lambda x: np.arange(3) * x,
        lambda x: np.clip(x, np.array([-1.5, 0, 2]), None) + np.expm1(1e-10 * x) * 1e10,
        lambda x: np.dot(x, np.stack([x.T, x.T, x.T])) + np.concatenate([x, x], axis=None)[7],
        lambda x: np.matmul(x, np.ones((3, 2))), lambda x: np.sin(x) - np.cos(np.negative(x))]
    for f in functions:
        assert tapehead.gradcheck(f, [A])
        assert isinstance(f(tensor(A)), tapehead.Tensor)
        np.testing.assert_allclose(f(tensor(A)).numpy(), f_of_array(f), rtol=1e-12)


X = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("call, wrong", [
    (lambda ids: tapehead.cross_entropy(X, ids), [1.9, 0.2]),
    (lambda ids: tapehead.gather(X, ids), [[0.5], [1]]),
    (lambda ids: tapehead.gather_rows(X, ids), [-0.5]),
    (lambda ids: tapehead.scatter_rows(X, ids, 3), [0.5, 1]),
    (lambda ids: tapehead.one_hot(ids, 3), 1.5), (lambda mask: tapehead.where(mask, X, X), [0.5, 1]),
    (lambda mask: tapehead.masked_fill(X, mask, 0), [0.5, 1])])
def test_ids_and_masks_are_not_rounded(call, wrong):
    for given in wrong, np.array(wrong), tensor(wrong), tensor(wrong, "f64"), np.floor(wrong):
        with pytest.raises(ValueError, match="expected i32"):
            call(given)
    whole = np.floor(np.abs(wrong)).astype(int)
    for given in whole.tolist(), whole, tensor(whole), whole.astype(bool):
        assert call(given).size > 0


def test_masks_are_0_or_1():
    for call in (lambda mask: tapehead.where(mask, X, X), lambda mask: tapehead.masked_fill(X, mask, 0),
                 lambda mask: tapehead.attention(X, X, X, mask=mask)):
        with pytest.raises(ValueError, match="the mask has 2 at position 1, expected 0 or 1"):
            call([0, 2])


def test_comparisons_do_not_round_integers():
    x = tensor([16777217])
    for y in 16777216.0, np.float32(16777216), [16777216.0], tensor([16777216.0]), np.array([16777216.0]):
        assert (x == y).tolist() == [0] and (x > y).tolist() == [1] and (y >= x).tolist() == [0]
        assert tapehead.equal(y, x).tolist() == [0] and tapehead.less(y, x).tolist() == [1]


def test_options_without_a_default_are_required():
    x = tensor(A)
    for call, name in [(lambda: x.top_k(), "k"), (lambda: x.top_k(k=None), "k"), (lambda: x.dropout(), "p"),
                       (lambda: x.reshape(), "shape"), (lambda: x.permute(), "order"),
                       (lambda: x.masked_fill(x.numpy() > 0), "value")]:
        with pytest.raises(TypeError, match=f"missing a required argument: '{name}'"):
            call()


class Array(np.ndarray):
    """An array with a method numpy(), which tensors also have."""
    def numpy(self):
        return self


def f_of_array(f):
    return f(A.view(Array))


def test_numpys_other_functions_get_arrays_unless_that_would_lose_a_gradient():
    x = tensor(A)
    np.testing.assert_array_equal(np.cumprod(x), A.cumprod())
    assert np.allclose(x, A) and (np.floor(x) == np.floor(A)).all() and np.linalg.norm(x) > 0
    with tapehead.Tape(x):
        for f in np.cumprod, np.floor, np.add.reduce:
            with pytest.raises(TypeError, match="has no gradient, but a tape records this tensor"):
                f(x)
        with pytest.raises(ValueError, match="loses their gradients; stack"):
            tensor([x[0], x[1]])
    with pytest.raises(TypeError, match="tensors are immutable"):
        np.add(x, 1, out=x)
    total = np.zeros(3)
    total += x[0]
    np.testing.assert_array_equal(total, A[0])
    assert np.where(x)[0].tolist() == np.where(A)[0].tolist()
    assert np.sum(x, dtype="f4").dtype == "float32" and np.mean([x.sum(), x.sum()]) == A.sum()
    assert sum([x.sum(), x.sum()]).item() == 2 * A.sum()


@pytest.mark.parametrize("call, text", [
    (lambda x: x.sum(dim=0), "argument 'dim'; use axis"), (lambda x: x.sum(axes=0), "argument 'axes'; use axis"),
    (lambda x: x.softmax(dim=-1), "argument 'dim'; use axis"),
    (lambda x: x.sum(keepdims=True), "argument 'keepdims'; use keep"),
    (lambda x: x.sum(keepdim=True), "argument 'keepdim'; use keep"),
    (lambda x: x.softmax(0, axis=0), "multiple values for argument 'axis'"),
    (lambda x: x.sum(axis="rows"), "axis must be a number or a list of numbers, got 'rows'"),
    (lambda x: x.sum(axis={}), "axis must be a number or a list of numbers, got {}"),
    (lambda x: x.gelu(form=3), "form must be a string, got 3"),
    (lambda x: x.reshape(4), r"reshape: \(2, 3\) has 6 elements"),
    (lambda x: x.split(4, axis=1), "an axis of size 3 can't be split into 4 equal parts"),
    (lambda x: x.view(6), r"Tensor has no 'view'; use x.reshape\(shape\)"),
    (lambda x: x.unsqueeze(0), r"use x\[None\]"), (lambda x: x.backward(), "tape.gradients"),
    (lambda x: x.tanh_(), r"'tanh_': tensors are immutable; use x = x.tanh\(...\)"),
    (lambda x: x.add_(1), r"'add_': tensors are immutable; use x = x \+ y"),
    (lambda x: x.where(x, x), r"use tapehead.where\(mask, a, b\)"),
    (lambda x: x.something, "Tensor has no attribute 'something'"),
    (lambda x: x.cast("f16"), "dtype must be f32, f64 or i32, got f16"),
    (lambda x: tensor(1, dtype="half"), "dtype must be f32, f64 or i32, got"),
    (lambda x: tapehead.zeros(2.5), "a shape must be integers, as in zeros.2, 3., got 2.5"),
    (lambda x: tapehead.zeros(-1), "-1"), (lambda x: tapehead.zeros(10 ** 18), "out of memory"),
    (lambda x: tapehead.tril_mask(10 ** 9, 10 ** 9), "out of memory"), (lambda x: tapehead.randn(2, seed=-1), "seed must be an integer"),
    (lambda x: x + object(), "unsupported operand"), (lambda x: pow(x, 2, 5), "unsupported operand"), (lambda x: {}[x[0, 0]], "tensor"),
    (lambda x: [1][x[0, 0]], "an index must be an integer, got a tensor of f64"),
    (lambda x: bool(x), "use x.numpy...any.. or x.numpy...all"), (lambda x: float(x), "expected one")])
def test_what_goes_wrong_is_said_in_a_line(call, text):
    with pytest.raises(Exception, match=text) as error:
        call(tensor(A))
    assert "\n" not in str(error.value)
