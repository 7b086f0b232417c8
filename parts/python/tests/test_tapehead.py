import ctypes
import gc
import inspect
import json
import multiprocessing
import platform
import threading
from concurrent.futures import ThreadPoolExecutor

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


def test_numpy_asks_for_an_array():
    x = tapehead.tensor([1.0, 2.0])
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert not np.shares_memory(np.array(x), x.numpy())
    assert np.asarray(x, "float32").dtype == "float32"


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
    (np.array([1 << 31]), "doesn't fit an i32"), (np.array([-1 << 62]), "doesn't fit an i32"), (np.array([1j]), "got complex128"),
    (np.array(["a"]), "booleans, got <U1"), (np.zeros((1,) * 9), "9")])
def test_what_no_tensor_is_made_of(value, text):
    with pytest.raises(ValueError, match=text) as error:
        tapehead.tensor(value)
    assert "\n" not in str(error.value)


def test_elements_are_shared_by_dlpack():
    array = np.arange(6.0, dtype="float32").reshape(2, 3)
    x = tapehead.from_dlpack(array)
    assert x.dtype == "f32" and x.shape == (2, 3)
    array[0, 0] = 7  # users mustn't do this; it shows that nothing was copied
    assert x.numpy()[0, 0] == 7
    out = np.from_dlpack(x)
    assert np.shares_memory(out, array) and np.shares_memory(out, x.numpy())
    del x, array
    gc.collect()
    np.testing.assert_array_equal(out, [[7, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("array", [
    np.arange(6.0).reshape(2, 3).T, np.arange(3, dtype="int64"), np.ones(3, "float16")])
def test_what_lies_otherwise_is_copied(array):
    x = tapehead.from_dlpack(array)
    np.testing.assert_array_equal(x.numpy(), array)
    assert not np.shares_memory(x.numpy(), array)


def test_ops_show_their_arguments():
    assert str(inspect.signature(tapehead.softmax)) == "(x, axis=-1)"
    assert str(inspect.signature(tapehead.concat)) == "(*parts, axis=0)"
    assert "sum(exp(x))" in tapehead.softmax.__doc__


def loss_of(model, ids):
    return tapehead.cross_entropy(model(ids[:, :-1]), ids[:, 1:])


@pytest.mark.parametrize("make, lr", [
    (tapehead.AdamW, 0.01), (tapehead.Lion, 0.003), (tapehead.Muon, 0.02), (tapehead.SGD, 0.5)])
def test_a_model_learns(make, lr):
    model = tapehead.GPT(8, 6, layers=1, heads=2, width=16, position="rotary", seed=1)
    optimizer = make(model, lr=lr)
    ids = np.random.default_rng(1).integers(0, 8, (4, 7))
    losses = []
    for _ in range(20):
        with tapehead.Tape() as tape:
            loss = loss_of(model, ids)
            optimizer.step(tape.gradients(loss).clip(1))
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.3 and optimizer.steps == 20
    optimizer.lr = 0
    before = model.parameters["tokens.weight"].numpy()
    with tapehead.Tape() as tape:
        optimizer.step(tape.gradients(loss_of(model, ids)))
    np.testing.assert_array_equal(model.parameters["tokens.weight"].numpy(), before)


def test_layers_one_after_the_other():
    model = tapehead.Sequential(
        tapehead.Embedding(5, 8), tapehead.Attention(8, 2, causal=True), tapehead.LayerNorm(8),
        tapehead.MLP(8, 16), tapehead.Linear(8, 5, bias=False))
    assert model(np.array([[0, 1, 2]])).shape == (1, 3, 5)
    assert list(model.parameters)[0] == "0.weight" and "4.bias" not in model.parameters
    a, b = tapehead.Linear(2, 2, seed=1), tapehead.Linear(2, 2, seed=1)
    np.testing.assert_array_equal(a.parameters["weight"].numpy(), b.parameters["weight"].numpy())
    both = tapehead.AdamW([a, b], lr=0.1)
    with tapehead.Tape() as tape:
        both.step(tape.gradients(tapehead.sum(a(b(np.ones((1, 2), "float32"))))))
    assert not np.array_equal(a.parameters["weight"].numpy(), b.parameters["weight"].numpy())


def test_dropout_acts_in_training_steps():
    model = tapehead.GPT(8, 6, layers=1, width=16, heads=2, dropout=0.5)
    ids = np.array([[1, 2, 3]])
    first = model(ids, step=1).numpy()
    np.testing.assert_array_equal(first, model(ids, step=1).numpy())
    assert not np.array_equal(first, model(ids, step=2).numpy())
    assert not np.array_equal(first, model(ids).numpy())


@pytest.mark.parametrize("call, text", [
    (lambda: tapehead.GPT(8, 6, steps=3), "GPT: unknown option 'steps'"),
    (lambda: tapehead.GPT(8, 6, layer=3), "did you mean layers"),
    (lambda: tapehead.GPT(8, 6, width=10, heads=3), "heads"),
    (lambda: tapehead.AdamW(tapehead.Linear(2, 2), momentum=0.5), "AdamW: unknown option 'momentum'"),
    (lambda: tapehead.AdamW(tapehead.Linear(2, 2), lr=-1), "lr"),
    (lambda: tapehead.Linear(-1, 2), "Linear|linear|shape|-1")])
def test_wrong_models(call, text):
    with pytest.raises(ValueError, match=text) as error:
        call()
    assert "\n" not in str(error.value)


def test_every_op_of_the_table_is_there():
    assert len(tapehead.ops) > 50
    assert all(callable(getattr(tapehead, name)) for name in tapehead.ops)


@pytest.mark.parametrize("call, text", [
    (lambda x: tapehead.softmax(x, axes=0), "softmax.x, axis=-1.: got an unexpected keyword argument 'axes'; use axis"),
    (lambda x: tapehead.softmax(x, 0, 0), "softmax.*: too many positional arguments"),
    (lambda x: tapehead.softmax(), "softmax.*: missing a required argument: 'x'"),
    (lambda x: tapehead.softmax(x, axis=0.5), "^softmax: axis is 0.5, expected a whole number"),
    (lambda x: tapehead.gelu(x, form="wrong"), "form is 'wrong', expected tanh or erf"),
    (lambda x: tapehead.concat(), "got no tensors"),
    (lambda x: tapehead.concat(x, None), "integers or booleans, got object"),
    (lambda x: x + None, "unsupported operand type"),
    (lambda x: x + tapehead.tensor(np.ones(3, "float32")), 'add: types f64 and f32 differ; convert one '
     'with cast.x, "f64".'),
    (lambda x: tapehead.Tape(np.ones(3)), "got a numpy.ndarray"),
    (lambda x: tapehead.Tape(x).gradients(x, [x]), "within its `with` block")])
def test_wrong_calls(call, text):
    with pytest.raises((ValueError, TypeError), match=text) as error:
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
    with pytest.raises(ValueError, match="bool: a tensor .2. has no single truth value"):
        bool(x)


def test_an_outer_tape_differentiates_an_inner_ones_gradients():
    x = tapehead.tensor(3.0)
    with tapehead.Tape(x) as outer:
        with tapehead.Tape(x) as inner:
            [slope] = inner.gradients(x * x * x, [x])
        [dx] = outer.gradients(x + slope, [x])
    assert (slope.item(), dx.item()) == (27, 1 + 6 * 3)


def test_what_the_loss_does_not_depend_on_has_no_gradient():
    model = tapehead.Linear(2, 1)
    optimizer = tapehead.SGD(model, lr=0.1)
    w = model.parameters["weight"].value
    for step in range(2):
        with tapehead.Tape(w) as tape:
            loss = tapehead.sum(model(tapehead.tensor(np.ones((1, 2), "float32"))))
            gradients = tape.gradients(loss, keep=True)
            if step == 1:  # the step has replaced the value w
                with pytest.raises(ValueError, match="the loss doesn't depend on this tensor of shape"):
                    tape.gradients(loss, [w], keep=True)
                np.testing.assert_array_equal(tape.gradients(loss, [w], zeros=True)[0].numpy(), [[0, 0]])
        optimizer.step(gradients)


def test_what_was_used_as_a_constant_is_not_watched_later():
    x = tapehead.tensor(3.0)
    with tapehead.Tape() as tape:
        x * x
        with pytest.raises(ValueError, match="has already used this tensor"):
            tape.watch(x)


@tapehead.op
def product(a, b):
    return a * b


@product.register_backward
def product(dy, y, a, b):
    return dy * b, dy * a


def test_an_own_op_with_two_inputs():
    a, b = np.random.default_rng(1).normal(size=(2, 3, 4))
    assert tapehead.gradcheck(product, [a, b])
    assert tapehead.gradcheck(product, [a, b], second=True)
    x = tapehead.tensor(a)
    with tapehead.Tape(x) as tape:
        [dx] = tape.gradients(tapehead.sum(product(x, x)), [x], create_graph=True)
        np.testing.assert_allclose(dx.numpy(), 2 * a)
        [ddx] = tape.gradients(tapehead.sum(dx), [x])
    np.testing.assert_allclose(ddx.numpy(), np.full((3, 4), 2))


@tapehead.op
def ordered(x):
    return np.sort(x)


@ordered.register_backward
def ordered(dy, y, x):
    dx = np.empty_like(x)
    dx[np.argsort(x)] = dy
    return dx


def test_a_rule_of_functions_without_gradients_is_differentiated_once():
    assert tapehead.gradcheck(ordered, [[2.0, 1.0, 3.0]])
    with pytest.raises(ValueError, match="ordered: its backward function isn't made of ops"):
        tapehead.gradcheck(ordered, [[2.0, 1.0, 3.0]], second=True)


def test_a_wrong_rule_is_found():
    @tapehead.op
    def cube(x):
        return x ** 3

    with pytest.raises(ValueError, match="cube: has no backward function"):
        cube(1.0)
    cube.register_backward(lambda dy, y, x: dy * 2 * x ** 2)
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
    ([], "expected integer ids"), ([0.5], "expected integer ids"),
    ([99], "invalid id 99; expected 0 to 15"),
    ([-1], "invalid id -1"), ([[[1]]], "expected integer ids"), ("what?", "copy|token|what")])
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
    with pytest.raises(ValueError, match="unknown mixer 'gl'; did you mean 'gla'?"):
        tapehead.train("copy", mixer="gl")
    with pytest.raises(ValueError, match="pairs must be .* to 8 .length / 4., not '20'"):
        tapehead.train("mqar", pairs=20)
    with pytest.raises(TypeError, match=r"Run.attention\(\) got an unexpected keyword argument"):
        run.attention([1], layer=7)


def test_aliases_of_options(tmp_path):
    options = {"length": 4, "width": 8, "steps": 2}
    run = tapehead.train("copy", out=tmp_path / "a", ema=0.5, **options)
    assert run.config["average"] == 0.5
    run = tapehead.train(resume=run.path, steps=3, ema=0.25)
    assert run.config["average"] == 0.25


def test_a_callback_stops_training(tmp_path):
    def stop(step, loss):
        if step == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tapehead.train("copy", width=16, steps=50, out=tmp_path / "a", on_step=stop)
    assert tapehead.load(str(tmp_path / "a")).steps < 10


def digest(path, on_step=None, **options):
    run = tapehead.train("copy", layers=1, width=16, steps=12, eval_every=6, out=path, on_step=on_step,
                         **options)
    with open(f"{run.path}/metrics.jsonl") as lines:
        return json.loads(lines.readlines()[-1])["digest"]


def test_trainings_at_once(tmp_path):
    def train(name):
        return [digest(tmp_path / f"{name}{seed}", seed=seed, threads=2) for seed in (0, 1)]
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(train, "abc"))
    assert found == 3 * [train("alone")]


def test_gradients_beside_a_training(tmp_path):
    x = tapehead.tensor(np.ones((300, 300), "float32"))

    def gradient():
        with tapehead.Tape(x) as tape:
            return tape.gradients(tapehead.sum(tapehead.gelu(tapehead.matmul(x, x))), [x])[0].numpy()
    alone = gradient()
    training = threading.Thread(target=digest, args=[tmp_path / "run"], kwargs={"threads": 2})
    training.start()
    while training.is_alive():
        np.testing.assert_array_equal(gradient(), alone)


def test_a_forked_process_trains(tmp_path):
    def fork(step, loss):
        if step == 3:
            child = multiprocessing.get_context("fork").Process(
                target=digest, args=[tmp_path / "child"], kwargs={"threads": 2})
            child.start()
            child.join(30)
            ends.append(child.exitcode)
            child.kill()
    ends = []
    digest(tmp_path / "parent", fork, threads=2)
    assert ends == [0]


def test_a_host_that_rounds_otherwise(tmp_path):
    libm = ctypes.CDLL("libm.so.6")
    upward = 0x800 if platform.machine() == "x86_64" else 0x400000  # FE_UPWARD in <fenv.h>

    def numbers(name, on_step=None):
        a, b = tapehead.tensor([1.0, 0.1]), tapehead.tensor([3.0, 7.0])
        with tapehead.Tape(a) as tape:
            gradients = tape.gradients(tapehead.sum(a / b))
            return [str(a / b), gradients.norm, str(tapehead.explain("x / 3", x=0.1)),
                    *(digest(tmp_path / f"{name}{n}", on_step, threads=n) for n in (1, 2))]
    alone = numbers("alone")
    libm.fesetround(upward)
    try:
        assert numbers("upward", lambda step, loss: libm.fesetround(upward)) == alone
        assert libm.fegetround() == upward
    finally:
        libm.fesetround(0)
