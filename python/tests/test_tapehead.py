import gc
import threading

import numpy as np
import pytest

import tapehead


@pytest.mark.parametrize("dtype, kept", [
    ("float32", "float32"), ("float64", "float64"), ("float16", "float32"), ("int64", "int32"),
    ("uint8", "int32"), ("bool", "int32")])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3, 4)])
def test_arrays_come_back(dtype, kept, shape):
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 100).astype(dtype)
    back = tapehead.tensor(array).numpy()
    assert back.dtype == kept and back.shape == shape
    np.testing.assert_array_equal(back, array)


def test_any_layout_is_copied_in_rows():
    array = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[::-1]
    np.testing.assert_array_equal(tapehead.tensor(array).numpy(), array)


def test_a_tensor_keeps_its_elements():
    array = np.ones(3)
    x = tapehead.tensor(array)
    array[0] = 7
    view = x.numpy()
    del x
    gc.collect()
    np.testing.assert_array_equal(view, np.ones(3))
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 7


@pytest.mark.parametrize("value, text", [
    (np.array([1 << 31]), "i32 has room"), (np.array([1j]), "not complex128"),
    (np.array(["a"]), "truth values, not <U1"), (np.zeros((1,) * 9), "9")])
def test_what_no_tensor_is_made_of(value, text):
    with pytest.raises(ValueError, match=text) as error:
        tapehead.tensor(value)
    assert "\n" not in str(error.value)


def test_every_op_of_the_table_is_there():
    assert len(tapehead.ops) > 50
    assert all(callable(getattr(tapehead, name)) for name in tapehead.ops)


@pytest.mark.parametrize("call, text", [
    (lambda x: tapehead.softmax(x, axes=0), "softmax.x, axis.: 'axes' is none of its arguments"),
    (lambda x: tapehead.softmax(x, 0, 0), "too many arguments"),
    (lambda x: tapehead.softmax(), "x is missing"),
    (lambda x: tapehead.softmax(x, axis=0.5), "^softmax: axis is a whole number"),
    (lambda x: tapehead.gelu(x, form="wrong"), "form is tanh or erf"),
    (lambda x: tapehead.concat(), "no parts"),
    (lambda x: x + np.ones(3, "float32"), "f64"),
    (lambda x: tapehead.Tape(np.ones(3)), "this is a numpy.ndarray"),
    (lambda x: tapehead.Tape(x).gradients(x, [x]), "within its `with` block")])
def test_wrong_calls(call, text):
    with pytest.raises(ValueError, match=text) as error:
        call(tapehead.tensor(np.ones((2, 3))))
    assert "\n" not in str(error.value)


def test_operators():
    a, b = np.array([1.0, 4.0], "float32"), np.array([2.0, 3.0], "float32")
    x = tapehead.tensor(a)
    for found, right in [(x + b, a + b), (b + x, a + b), (x - 1, a - 1), (1 - x, 1 - a),
                         (x * 2, a * 2), (b / x, b / a), (x ** 2, a ** 2), (-x, -a), (x < b, a < b),
                         (x >= b, a >= b), (x > 2, a > 2), (x <= 1, a <= 1)]:
        assert isinstance(found, tapehead.Tensor)
        np.testing.assert_allclose(found.numpy(), right, rtol=1e-6)
    assert (x + 1).dtype == "f32"
    assert tapehead.tensor(2.0) > 1 and not tapehead.tensor(2.0) > 2
    with pytest.raises(ValueError, match="item needs one"):
        bool(x)


def test_second_derivative():
    x = tapehead.tensor(2.0)
    with tapehead.Tape(x) as tape:
        [dx] = tape.gradients(x * x * x, [x], create_graph=True)
        [ddx] = tape.gradients(dx, [x])
    assert (dx.item(), ddx.item()) == (12, 12)


@tapehead.op
def product(a, b):
    return a * b


@product.rule
def product(dy, y, a, b):
    return dy * b, dy * a


def test_an_own_op_with_two_inputs():
    a, b = np.random.default_rng(1).normal(size=(2, 3, 4))
    assert tapehead.gradcheck(product, [a, b])
    x = tapehead.tensor(a)
    with tapehead.Tape(x) as tape:
        [dx] = tape.gradients(tapehead.sum(product(x, b)), [x], create_graph=True)
        np.testing.assert_array_equal(dx.numpy(), b)
        with pytest.raises(ValueError, match="product: its rule is a function of arrays"):
            tape.gradients(tapehead.sum(dx), [x])
    with pytest.raises(ValueError, match="product: its rule is a function of arrays"):
        tapehead.gradcheck(product, [a, b], second=True)


def test_a_wrong_rule_is_found():
    @tapehead.op
    def cube(x):
        return x ** 3

    with pytest.raises(ValueError, match="cube: has no rule"):
        cube(1.0)
    cube.rule(lambda dy, y, x: dy * 2 * x ** 2)
    result = tapehead.gradcheck(cube, [np.array([1.0, 2.0])])
    assert not result and "cube" in result.culprit


def test_errors_of_python_come_through():
    def broken(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tapehead.gradcheck(broken, [1.0])


def test_threads_have_their_own_tapes():
    found = {}

    def work(i):
        x = tapehead.tensor(float(i))
        with tapehead.Tape(x) as tape:
            for _ in range(50):
                y = product(x, x) * 3
            found[i] = tape.gradients(y, [x])[0].item()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert found == {i: 6.0 * i for i in range(4)}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "copy"
    return tapehead.train("copy", layers=1, width=16, steps=5, eval_every=5, out=out)


def test_a_run(run):
    again = tapehead.load(run.path)
    ids = np.arange(8) % run.vocabulary
    np.testing.assert_array_equal(run.logits(ids).numpy(), again.logits([ids]).numpy())
    maps = run.attention(ids)
    assert maps[0].weights.shape == (2, 8, 8) and len(maps[0].keys) == 8
    np.testing.assert_allclose(maps[0].weights.numpy().sum(2), 1, rtol=1e-5)
    assert "<iframe" in run.attention()._repr_html_()
    assert run.config["task"] == "copy" and run.steps == 5


@pytest.mark.parametrize("tokens, text", [
    ([], "takes ids"), ([0.5], "takes ids"), ([99], "99 is no id; they are 0 to 15"),
    ([-1], "-1 is no id"), ([[[1]]], "takes ids"), ("what?", "copy|token|what")])
def test_wrong_tokens(run, tokens, text):
    with pytest.raises(ValueError, match=text):
        run.logits(tokens)


def test_wrong_runs(run, tmp_path):
    with pytest.raises(OSError):
        tapehead.load(str(tmp_path))
    with pytest.raises(OSError):
        tapehead.train("copy", out=run.path)
    with pytest.raises(ValueError, match="did you mean"):
        tapehead.train("copi")
    with pytest.raises(ValueError, match="step"):
        tapehead.train("copy", stepz=3)


def test_a_callback_stops_training(tmp_path):
    def stop(step, loss):
        if step == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tapehead.train("copy", width=16, steps=50, out=tmp_path / "a", on_step=stop)
    assert tapehead.load(str(tmp_path / "a")).steps < 10
