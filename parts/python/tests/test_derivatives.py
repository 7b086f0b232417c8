"""Tests of derivatives with respect to tensors and models, and of custom gradients."""
import numpy as np
import pytest

import tapehead
from tapehead import grad, hessian, hvp, jacobian, jvp, vjp


def same(x, right, tolerance=1e-12):
    x, right = np.asarray(x), np.asarray(right)
    assert x.shape == right.shape
    np.testing.assert_allclose(x, right, rtol=tolerance, atol=tolerance)


def cubes(x):
    return tapehead.sum(x * x * x)


def product(x, y):
    return tapehead.sum(x * x * y + y * y * y)


A, B = np.array([1.0, 2.0]), np.array([3.0, 4.0])


def test_one_input():
    y, dx = grad(cubes, A)
    assert y.item() == 9
    same(dx, [3, 12])
    y, dx = vjp(lambda x: x * x, A, B)
    same(y, [1, 4])
    same(dx, [6, 16])
    y, dy = jvp(lambda x: x * x, A, B)
    same(dy, [6, 16])
    y, along = hvp(cubes, A, B)
    same(along, [18, 48])
    same(jacobian(lambda x: x * x, A), [[2, 0], [0, 4]])
    same(hessian(cubes, A), [[6, 0], [0, 12]])


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_inputs(kind):
    x = kind([A, tapehead.tensor(B)])
    y, (dx, dy) = grad(product, x)
    same(dx, 2 * A * B)
    same(dy, A * A + 3 * B * B)
    same(vjp(product, x, 2)[1][0], 4 * A * B)
    same(jvp(product, x, [B, A])[1], (2 * A * B * B + (A * A + 3 * B * B) * A).sum())
    same(hvp(product, x, (B, A))[1][1], 2 * A * B + 6 * B * A)
    of_a, of_b = jacobian(lambda a, b: a * b, x)
    same(of_a, np.diag(B))
    same(of_b, np.diag(A))
    blocks = hessian(product, x)
    same(blocks[0][0], np.diag(2 * B))
    same(blocks[1][0], np.diag(2 * A))
    same(blocks[1][1], np.diag(6 * B))


def test_numbers_and_what_functions_give_back():
    y, dx = grad(lambda x: x * x, 3)
    assert (y.item(), dx.item(), dx.dtype) == (9, 6, "f64")
    assert [d.item() for d in grad(lambda a, b: a * b, [2, 5.0])[1]] == [5, 2]
    x = tapehead.tensor(np.float32(3))
    assert jvp(lambda x: x * x, x, 1)[1].dtype == "f32"  # a number gets the type of its input


def test_what_a_function_does_not_depend_on_is_refused_or_zero():
    of_first = lambda a, b: tapehead.sum(a * a)
    for f, v in [(grad, ()), (vjp, (1,)), (jvp, ([A, 1],)), (hvp, ([A, 1],)), (jacobian, ()),
                 (hessian, ())]:
        with pytest.raises(ValueError, match="the loss doesn't depend on this tensor of shape ()"):
            f(of_first, [A, 2.0], *v)
    assert [d.item() for d in grad(lambda a, b: a, [1.0, 2.0], zeros=True)[1]] == [1, 0]
    assert jvp(lambda x: 1, 2.0, 1, zeros=True)[1].item() == 0
    same(hvp(of_first, [A, 2.0], [B, 1], zeros=True)[1][0], 2 * B)
    same(jacobian(lambda a, b: a, [A, B], zeros=True)[1], np.zeros((2, 2)))
    same(hessian(of_first, [A, 2.0], zeros=True)[1][0], [0, 0])
    same(vjp(lambda x: 1.0, A, 1, zeros=True)[1], [0, 0])


def test_each_can_be_differentiated_again():
    third = jvp(lambda x: hvp(cubes, x, np.ones(2))[1], A, np.ones(2))[1]
    same(third, [6, 6])
    same(hessian(lambda x: tapehead.sum(grad(cubes, x)[1]), A), [[6, 0], [0, 6]])
    x = tapehead.tensor(A)
    with tapehead.Tape(x) as tape:
        _, dy = jvp(cubes, x, x)  # J v = 3 x^2 v, with v = x
        same(tape.gradients(dy, [x])[0], 9 * A * A)


def perceptron():
    model = tapehead.Sequential(tapehead.Linear(3, 4, seed=1), tapehead.Linear(4, 2, seed=2))
    x = np.random.default_rng(1).normal(size=(5, 3)).astype("float32")
    return model, lambda: tapehead.mean(tapehead.tanh(model(x)) ** 2)


def test_a_models_parameters():
    model, loss = perceptron()
    with tapehead.Tape() as tape:
        right = tape.gradients(loss(), model.parameters.values())
    y, grads = grad(loss, model)
    assert list(grads) == list(model.parameters) and y.item() == loss().item()
    for mine, one in zip(grads.values(), right):
        same(mine, one)
    direction = {path: np.ones(x.shape, "float32") for path, x in model.parameters.items()}
    same(jvp(loss, model, direction)[1], sum(np.asarray(g).sum() for g in right), 1e-6)
    _, along = hvp(loss, model, direction)
    blocks = hessian(loss, model)
    assert blocks["0.weight"]["1.bias"].shape == (4, 3, 2)
    for path, product in along.items():
        rows = [np.asarray(block).reshape(*product.shape, -1).sum(-1)
                for block in blocks[path].values()]
        same(product, sum(rows), 1e-5)
    assert jacobian(loss, model)["1.bias"].shape == (2,)
    same(vjp(loss, model, 2)[1]["1.bias"], 2 * np.asarray(grads["1.bias"]))


def test_a_models_parameters_and_its_input():
    model = tapehead.Linear(3, 1)
    weights = list(model.parameters.values())
    x = np.ones((2, 3), "float32")
    _, (dx, *dw) = grad(lambda x, *weights: tapehead.sum(model(x)), [x, *weights])
    same(dx, np.concatenate([weights[0].numpy()] * 2))
    same(dw[0], [[2, 2, 2]])


def test_after_a_step_they_are_the_new_parameters():
    model, loss = perceptron()
    optimizer = tapehead.SGD(model, lr=0.1)
    for _ in range(2):
        with tapehead.Tape() as tape:
            right = tape.gradients(loss(), model.parameters.values(), keep=True)
            optimizer.step(tape.gradients(loss()))
    assert np.abs(grad(loss, model)[1]["0.weight"].numpy()).sum() > 0


def test_examples_alone():
    x, examples = np.array([1.0, 2.0]), [np.array([3.0, 0.0]), np.array([0.0, 5.0])]
    def loss(x, example):
        return tapehead.sum(x * x * example)
    each = tapehead.per_example_gradients(loss, x, examples)
    np.testing.assert_array_equal([g.numpy() for g in each], [[6, 0], [0, 20]])
    assert tapehead.per_example_norms(loss, x, examples) == [6, 20]
    model = tapehead.Linear(2, 1, seed=1)
    def error(example):
        return tapehead.sum(model(example.reshape(1, 2).astype("float32")) ** 2)
    gradients = tapehead.per_example_gradients(error, model, examples)
    norms = tapehead.per_example_norms(error, model, examples)
    for all_of_one, norm in zip(gradients, norms, strict=True):
        assert all_of_one.keys() == model.parameters.keys()
        squares = sum((g.numpy().astype("float64") ** 2).sum() for g in all_of_one.values())
        assert norm == pytest.approx(squares ** 0.5)


def test_a_stopped_gradient():
    same(grad(lambda x: tapehead.sum(x * tapehead.stop_gradient(x)), A)[1], A)
    assert tapehead.stop_gradient(2.0).item() == 2


def softplus(x):
    """Computes log(1 + e^x), whose automatic gradient is inf / inf for large x."""
    return tapehead.custom_gradient(lambda z: tapehead.log(tapehead.exp(z) + 1), x,
                                    lambda dy: dy * tapehead.sigmoid(x))


def test_a_gradient_of_ones_own():
    f = lambda x: tapehead.sum(softplus(x))
    same(grad(f, np.array([0, 1000.0]))[1], [0.5, 1])
    same(hvp(f, 0.0, 1)[1], 0.25)
    halved = lambda a, b: tapehead.custom_gradient(lambda a, b: a * b, (a, b),
                                                   lambda dy: [None, 0.5])
    da, db = grad(lambda a, b: halved(a, b), [2.0, 3.0])[1]
    assert (da.item(), db.item()) == (0, 0.5)


def test_straight_through():
    rounded = lambda x: tapehead.cast(tapehead.cast(x, "i32"), "f64")
    y, dx = grad(lambda x: tapehead.sum(tapehead.straight_through(rounded, x) * B), A + 0.5)
    assert y.item() == 11
    same(dx, B)


def test_what_is_computed_again():
    f = lambda x, y: tapehead.exp(tapehead.sin(x) * y)
    calls = []

    def counted(x, y):
        calls.append(1)
        return f(x, y)
    right = grad(lambda x, y: tapehead.sum(f(x, y)), [A, B])
    found = grad(lambda x, y: tapehead.sum(tapehead.recompute(counted, [x, y])), [A, B])
    assert len(calls) == 2
    for mine, one in zip(found[1], right[1]):
        same(mine, one, 0)
    same(hvp(lambda x: tapehead.sum(tapehead.recompute(lambda z: f(z, B), x)), A, B)[1],
         hvp(lambda x: tapehead.sum(f(x, B)), A, B)[1])


@pytest.mark.parametrize("again", [
    lambda model, x: tapehead.recompute(model, x),
    lambda model, x: tapehead.recompute(lambda z: model(z, step=3), x, model)])
def test_a_module_is_computed_again(again):
    model = tapehead.MLP(3, 4, seed=1)
    x = np.ones((2, 3), "float32")
    _, right = grad(lambda: tapehead.sum(model(x)), model)
    _, found = grad(lambda: tapehead.sum(again(model, x)), model)
    with tapehead.Tape() as tape:
        on_tape = tape.gradients(tapehead.sum(again(model, x)), model.parameters.values())
    for mine, other, one in zip(found.values(), on_tape, right.values()):
        same(mine, one, 0)
        same(other, one, 0)


@pytest.mark.parametrize("call, text", [
    (lambda m: grad(lambda x: x, A), "^backward: the loss has shape .2., expected one element"),
    (lambda m: grad(cubes, [1, 2, 3]), "takes 1 positional argument but 3 were given"),
    (lambda m: grad(cubes, np.array([1, 2])), "^watch: a tensor of type i32 has no gradient"),
    (lambda m: grad(cubes, "x"), "^tensor: expected floats"),
    (lambda m: jvp(product, [A, B], [A]), "^jvp: the direction has 1 tensor, but there are 2 inputs"),
    (lambda m: jvp(product, [A, B], A),
     "^jvp: the direction must be a list for a list of inputs, got a ndarray"),
    (lambda m: hvp(cubes, A, np.ones(3)),
     r"^hvp: input 0 is f64 \(2\), but its direction is f64 \(3\)"),
    (lambda m: hvp(lambda: 0, m, {"weight": 1}), "^hvp: the direction must be a dict by "
     "parameter path for a module: weight, bias"),
    (lambda m: vjp(cubes, A, A), r"\(2\)"),
    (lambda m: grad(lambda x: tapehead.custom_gradient(product, [x, x], lambda dy: dy), A),
     "^custom_gradient: the result of backward must be a list for a list of inputs, got a Tensor"),
    (lambda m: grad(lambda x: tapehead.custom_gradient(product, [x, x], lambda dy: [dy]), A),
     "custom_gradient"),
    (lambda m: tapehead.custom_gradient(cubes, m, lambda dy: dy), "^tensor: expected floats"),
    (lambda m: grad(lambda x: tapehead.sum(tapehead.recompute(lambda z: z * x, A)), A),
     "^recompute: the function uses a tensor of shape .2. that isn't one of its inputs"),
    (lambda m: grad(lambda: tapehead.sum(tapehead.recompute(lambda z: m(z), np.ones((1, 2), "f4"))),
                    m), "^recompute: the function uses a tensor of shape")])
def test_misfits_are_named(call, text):
    with pytest.raises((ValueError, TypeError), match=text) as error:
        call(tapehead.Linear(2, 2))
    assert "\n" not in str(error.value)


def test_an_own_ops_result_has_the_type_of_its_floats():
    times = tapehead.op(lambda n, x: n * x).register_backward(
        lambda dy, y, n, x: (dy * x, dy * n))
    n, x = tapehead.tensor([2, 3]), tapehead.tensor([1.5, 2.5])
    assert times(n, x).tolist() == [3, 7.5] and times(n, x).dtype == "f32"
    assert times(n, x.cast("f64")).dtype == "f64" and times(x, x.cast("f64")).dtype == "f64"
    assert times(n, n).tolist() == [4, 9] and times(n, n).dtype == "i32"
    _, (gradient,) = tapehead.grad(lambda x: times(n, x).sum(), [x])
    assert gradient.tolist() == [2, 3]
    half = tapehead.op(lambda n: n / 2).register_backward(lambda dy, y, n: dy)
    assert half(n).tolist() == [1, 1.5] and half(n).dtype == "f32"
    with pytest.raises(TypeError, match="returned an array of complex128"):
        tapehead.op(lambda x: x * 1j).register_backward(lambda dy, y, x: dy)(x.cast("f64"))


@pytest.mark.parametrize("f, x, text", [
    (lambda x: ((x * x).sum()).sqrt(), [tapehead.zeros(2)],
     "derivative isn't finite there: the backward function of sqrt gives inf"),
    (lambda x: (-x).sqrt(), [tapehead.ones(3)], "value isn't finite there: nan at output 0"),
    (lambda x: x ** 400, [tapehead.full(1, 10)], "value isn't finite there: inf at output 0")])
def test_gradcheck_fails_where_something_is_not_finite(f, x, text):
    for second in (False, True):
        found = tapehead.gradcheck(f, x, second=second)
        assert not found and found.culprit == "" and "finite" in found.doubt
    assert text in repr(tapehead.gradcheck(f, x))
