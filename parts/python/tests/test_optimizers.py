"""Tests of optimizers: options, copies, pickles, files, and the parameters that Muon trains."""
import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapehead
from own_optimizer import Momentum

OPTIONS = {"AdamW": {"lr": 0.01, "beta2": 0.95, "eps": 1e-6}, "Lion": {"lr": 0.01},
           "Muon": {"lr": 0.05, "adam_lr": 0.02, "momentum": 0.8}, "SGD": {"lr": 0.1}}
X = np.random.default_rng(1).normal(size=(8, 4)).astype("float32")


class Net(tapehead.Module):
    def __init__(self):
        super().__init__()
        self.layers = [tapehead.Linear(4, 4, seed=1), tapehead.Linear(4, 4, seed=2)]
        self.own = tapehead.Parameter(np.eye(4))
        self.tied = self.layers[0].weight

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return x @ self.own @ self.tied


MAKES = {name: lambda trained, name=name: getattr(tapehead, name)(trained, **OPTIONS[name])
         for name in OPTIONS} | {"Momentum": lambda trained: Momentum(trained, lr=0.05, beta=0.7)}


def train(model, optimizer, first, end):
    for step in range(first, end):
        optimizer.lr = 0.05 / (1 + step)
        with tapehead.Tape() as tape:
            loss = ((model(X) - 1) ** 2).mean()
            optimizer.step(tape.gradients(loss).clip(1))
    return [p.numpy().tobytes() for p in model.parameters()]


def in_files(model, optimizer, make, folder):
    model.save(folder / "model.safetensors")
    optimizer.save(folder / "optimizer.safetensors")
    model = Net().load(folder / "model.safetensors")
    return model, make(model).load(folder / "optimizer.safetensors")


def pickled_apart(model, optimizer):
    """An optimizer pickled without its model is restored with copies of the parameters."""
    again = pickle.loads(pickle.dumps(optimizer))
    model = copy.deepcopy(model)
    for path, p in again.parameters.items():
        np.testing.assert_array_equal(p.numpy(), optimizer.parameters[path].numpy())
    return model, again


@pytest.mark.parametrize("name", MAKES)
@pytest.mark.parametrize("trained", [lambda net: net, lambda net: net.parameters(),
                                     lambda net: [net.own, *net.layers],
                                     lambda net: (p for p in net.parameters())])
def test_continues_bitwise(name, trained, tmp_path):
    make = lambda net: MAKES[name](trained(net))
    model = Net()
    whole = train(model, make(model), 0, 10)
    model = Net()
    optimizer = make(model)
    train(model, optimizer, 0, 5)
    ways = [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both)),
            lambda both: pickle.loads(pickle.dumps(both[::-1], 0))[::-1]]
    if name != "Momentum":
        ways.append(lambda both: in_files(*both, make, tmp_path))
    for way in ways:
        model_again, again = way((model, optimizer))
        assert again.steps == 5 and again.lr == optimizer.lr
        assert list(again.parameters) == list(optimizer.parameters)
        assert train(model_again, again, 5, 10) == whole
    assert train(model, optimizer, 5, 10) == whole  # the copies are independent


def test_a_copy_alone_trains_copies():
    model = Net()
    optimizer = tapehead.AdamW(model)
    before = model.own.numpy().copy()
    again = copy.deepcopy(optimizer)
    with tapehead.Tape() as tape:
        own = again.parameters["own"]
        again.step(tape.gradients((own * own).sum()))
    np.testing.assert_array_equal(model.own.numpy(), before)
    assert not np.array_equal(own.numpy(), before) and (again.steps, optimizer.steps) == (1, 0)


def test_files_that_do_not_fit_change_nothing(tmp_path):
    path = tmp_path / "a"
    model = Net()
    optimizer = tapehead.AdamW(model)
    train(model, optimizer, 0, 2)
    optimizer.save(path)
    other = tapehead.Linear(4, 4)
    for make, text in [(lambda: tapehead.Lion(model), "contains the state of AdamW, not of Lion"),
                       (lambda: tapehead.AdamW(other), "a: 'first.weight' is missing"),
                       (lambda: tapehead.AdamW(tapehead.Embedding(4, 4)), "'first.weight' is missing"),
                       (lambda: tapehead.AdamW({"own": tapehead.Parameter(np.eye(3))}),
                        r"'first.own' is f32 \(4, 4\), expected f32 \(3, 3\)"),
                       (lambda: tapehead.AdamW({"own": model.own}), "has 10 tensors, expected")]:
        again = make()
        with pytest.raises(OSError, match=text):
            again.load(path)
        assert again.steps == 0
    model.save(tmp_path / "weights")
    with pytest.raises(OSError, match="contains the state of no optimizer, not of AdamW"):
        optimizer.load(tmp_path / "weights")
    with pytest.raises(TypeError, match="Momentum.save: .*use pickle"):
        Momentum(model, 0.1).save(path)


# ---- parameters that Muon trains as matrices

def stepped(parameter, **options):
    with tapehead.Tape() as tape:
        gradients = tape.gradients((parameter * parameter).sum() + parameter.sum())
        tapehead.Muon([parameter], **options).step(gradients)
    return parameter.numpy()


def test_muon_trains_matrices_of_the_user():
    first = np.random.default_rng(2).normal(size=(4, 3)).astype("float32")
    small, large = (stepped(tapehead.Parameter(first), lr=lr) for lr in (0.02, 2.0))
    np.testing.assert_allclose(large - first, 100 * (small - first), rtol=1e-3, atol=1e-4)
    moved = (first - small) / 0.02  # Muon's update: all singular values are about equal
    found = np.linalg.svd(moved, compute_uv=False)
    assert found.max() < 1.6 * found.min()


def test_parameters_say_whether_they_are_matrices():
    assert tapehead.Parameter(np.eye(2)).matrix and not tapehead.Parameter(np.ones(2)).matrix
    assert not tapehead.Parameter(np.eye(2), matrix=False).matrix
    assert not tapehead.Parameter(np.ones((2, 2, 2))).matrix
    model = tapehead.GPT(8, 4, layers=1, heads=2, width=8, weight_tying=False)
    found = [path for path, p in model.parameters.items() if p.matrix]
    assert found == [f"blocks.0.{name}.weight" for name in
                     ("attention.qkv", "attention.out", "mlp.in", "mlp.out")]
    p = tapehead.Parameter(np.eye(2), matrix=False)
    p.matrix = True
    assert p.matrix
    with pytest.raises(ValueError, match=r"matrix=True requires two axes, got the shape \(3\)"):
        tapehead.Parameter(np.ones(3), matrix=True)


MATRIX, VECTOR = tapehead.Parameter(np.eye(2)), tapehead.Parameter(np.ones(2))


@pytest.mark.parametrize("make, text", [
    (lambda: tapehead.Muon([VECTOR]), r"Muon: lr applies to none of the parameters: none is a "
     r"matrix; use AdamW, or Parameter\(x, matrix=True\)"),
    (lambda: tapehead.Muon(tapehead.Parameter(np.eye(2), matrix=False), lr=1), "Muon: lr applies"),
    (lambda: tapehead.Muon([MATRIX], adam_lr=0.1), "adam_lr applies .*: all are matrices; remove"),
    (lambda: tapehead.Muon([MATRIX], beta1=0.1), "beta1 applies to none"),
    (lambda: tapehead.Muon([MATRIX], adam_eps=0.1), "adam_eps applies to none"),
    *[(lambda name=name: getattr(tapehead, name)([VECTOR], weight_decay=0.1),
       f"{name}: weight_decay applies to none of the parameters: .*or set parameter.decay = True")
      for name in ("AdamW", "Lion", "SGD")]])
def test_options_that_apply_to_nothing(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_options_that_apply_to_something():
    tapehead.Muon([MATRIX], lr=0.1, momentum=0.5)
    tapehead.Muon([MATRIX, VECTOR], adam_lr=0.1, beta1=0.5)
    tapehead.AdamW([VECTOR], weight_decay=0)
    tapehead.AdamW([tapehead.Parameter(np.ones(2), decay=True)], weight_decay=0.1)


# ---- options

@pytest.mark.parametrize("make, text", [
    (lambda: tapehead.AdamW(MATRIX, epsilon=1), "AdamW: unknown option 'epsilon'; did you mean eps?"),
    (lambda: tapehead.SGD(MATRIX, moment=0.9), "SGD: unknown option 'moment'; did you mean momentum?"),
    (lambda: tapehead.AdamW(MATRIX, weight_dekay=1), "'weight_dekay'; did you mean weight_decay?"),
    (lambda: tapehead.AdamW(MATRIX, learning_rate=1), "'learning_rate'; did you mean lr?"),
    (lambda: tapehead.Lion(MATRIX, nesterov=1), "Lion: unknown option 'nesterov'; expected one of lr, "
     "beta1, beta2, weight_decay"),
    (lambda: tapehead.AdamW(MATRIX, beta1=3), "AdamW: beta1 must be at least 0 and below 1, not 3"),
    (lambda: tapehead.AdamW(MATRIX, lr="a"), "AdamW: lr: expected a number, got 'a'"),
    (lambda: tapehead.GPT(8, 6, stpes=3), "GPT: unknown option 'stpes'; help(tapehead.GPT) lists its"),
    (lambda: tapehead.GPT(8, 6, layer=3), "GPT: unknown option 'layer'; did you mean layers?"),
    (lambda: tapehead.GPT(8, 6, init_sdt=3), "GPT: unknown option 'init_sdt'; did you mean init_std?"),
    (lambda: tapehead.GPT(8, 6, layers=2**31), "GPT: layers must be at most 1024, not 2147483648"),
    (lambda: tapehead.GPT(8, 6, arch="encoder"), "GPT: unknown option 'arch'"),
    (lambda: tapehead.GPT(8, 6, attention="linear", window=3),
     "GPT: window has no effect with attention linear; remove it"),
    (lambda: tapehead.GPT(8, 6, heads=3), "GPT: heads 3 doesn't divide width 64"),
    (lambda: tapehead.GPT(8, 6, dtype="bf16"), "GPT: dtype must be f32 or f64, got bf16"),
    (lambda: tapehead.train("copy", stpes=3), "copy has no option stpes; did you mean steps?"),
    (lambda: tapehead.train("copy", min_lr=-1), "min_lr must be at least 0, not -1")])
def test_options_are_named_as_python_spells_them(make, text):
    with pytest.raises(ValueError) as error:
        make()
    assert text in str(error.value) and "--" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("make, text", [
    (lambda: tapehead.GPT(2**40, 6), "GPT: its weights need"),
    (lambda: tapehead.GPT(8, 2**40), "GPT: its weights need"),
    (lambda: tapehead.GPT(8, 6, width=2**16, layers=1024), "GPT: its weights need"),
    (lambda: tapehead.Linear(2**24, 2**24), "Linear: its weights need"),
    (lambda: tapehead.Linear(2**40, 2**40), "more elements than can be addressed"),
    (lambda: tapehead.Embedding(2**31, 2**20), "Embedding: its weights need"),
    (lambda: tapehead.LayerNorm(2**45), "LayerNorm: its weights need"),
    (lambda: tapehead.MLP(2**20, 2**31), "MLP: its weights need"),
    (lambda: tapehead.Attention(2**25, 1), "Attention: its weights need")])
def test_sizes_that_no_memory_has_room_for(make, text):
    with pytest.raises(ValueError, match=text) as error:
        make()
    assert "\n" not in str(error.value)


STATE = """
import resource, tapehead
model = tapehead.Linear(1024, 1024)  # 4 MB
_, most = resource.getrlimit(resource.RLIMIT_AS)
said = ""
room = [bytes(size) for size in (100, 1000) * 20000]  # free memory for small allocations
kept = room[::500]
del room
resource.setrlimit(resource.RLIMIT_AS, (10_000_000, most))
try:
    tapehead.AdamW(model)
except ValueError as error:
    said = str(error)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(said)
tapehead.SGD(model)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit of Linux")
def test_a_state_that_no_memory_has_room_for():
    said = subprocess.run([sys.executable, "-c", STATE], capture_output=True, text=True)
    assert said.stdout == ("AdamW: its state and the weights need 0.0126 GB; ulimit -v allows 0.01 "
                           "GB\n"), said.stderr


def test_gpt_in_f64_is_in_f64():
    model = tapehead.GPT(8, 4, layers=1, heads=2, width=8, dtype="f64")
    assert {p.dtype for p in model.parameters()} == {"f64"}
    assert model([[1, 2]]).dtype == "f64"
    assert copy.deepcopy(model)([[1, 2]]).dtype == "f64"


@pytest.mark.parametrize("make, options", [
    (tapehead.GPT, ["layers=2 ", "heads=4 ", "tied_head=True ", 'position="learned" ',
                    "attention_temperature=", 'dtype="f32"']),
    (tapehead.AdamW, ["lr=0.001 ", "beta1=0.9 ", "weight_decay=0.1 ", "eps=1e-08 "]),
    (tapehead.Muon, ["lr=0.001 ", "momentum=0.95 ", "adam_lr=0.001 "]),
    (tapehead.SGD, ["momentum=0.9 "]), (tapehead.Lion, ["beta2=0.99 "])])
def test_help_lists_the_options(make, options):
    text = inspect.getdoc(make)
    for option in options:
        assert option in text
    assert "--" not in text


def test_eps_reaches_adamw():
    def after(**options):
        p = tapehead.Parameter([1.0])
        with tapehead.Tape() as tape:
            gradients = tape.gradients((p * 1e-3).sum())
        tapehead.AdamW(p, lr=0.1, **options).step(gradients)
        return p.item()
    assert after(eps=1e-3) == pytest.approx(0.95) and after() == pytest.approx(0.9, abs=1e-4)


def test_an_optimizer_without_an_update():
    plain = tapehead.Optimizer([MATRIX], lr=0.5)
    assert list(plain.parameters) == ["0"] and copy.deepcopy(plain).lr == 0.5


def test_built_in_optimizers_refuse_other_attributes():
    with pytest.raises(AttributeError, match="AdamW: 'rate' can't be set, only lr"):
        tapehead.AdamW(MATRIX).rate = 1
    with pytest.raises(AttributeError, match=r"use optimizer.save\(path\)"):
        tapehead.AdamW(MATRIX).state_dict()


def gradients_of(w, scale):
    with tapehead.Tape() as tape:
        return tape.gradients((scale * w * w).sum())


def test_gradients_add_and_scale():
    w, v = tapehead.Parameter([1.0, 2.0]), tapehead.Parameter([3.0])
    one, two = gradients_of(w, 0.5), gradients_of(w, 1.0)
    for found, wanted in [(one + two, [3, 6]), (one * 0.5, [0.5, 1]), (0.5 * one, [0.5, 1]),
                          (one / 4, [0.25, 0.5]), (sum([one, two, two]) / 2, [2.5, 5]),
                          (two.clip(1e9) + 2 * one, [4, 8]), (2 * one + 0.5 * two, [3, 6])]:
        assert found[w].tolist() == wanted
    assert one[w].tolist() == [1, 2] and two[w].tolist() == [2, 4]  # unchanged
    assert (one * 3).norm == pytest.approx(3 * one.norm)
    both = one + gradients_of(v, 0.5)
    assert both[w].tolist() == [1, 2] and both[v].tolist() == [3]
    for wrong in lambda: one + 1, lambda: one * None, lambda: one * one, lambda: 1 + one:
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong()


@pytest.mark.parametrize("name", MAKES)
def test_steps_with_dicts_are_the_same(name):
    models = [Net() for _ in range(3)]
    optimizers = [MAKES[name](model) for model in models]
    for step in range(3):
        for i, (model, optimizer) in enumerate(zip(models, optimizers)):
            with tapehead.Tape() as tape:
                loss = ((model(X) - 1) ** 2).mean()
                if i == 0:
                    optimizer.step(tape.gradients(loss))
                    continue
                named = tape.gradients(loss, model)
            if i == 1:
                named = {model.parameters[path]: x.numpy() for path, x in named.items()}
            optimizer.step(named)
    first, *others = [[p.numpy().tobytes() for p in m.parameters()] for m in models]
    assert others == [first, first]


@pytest.mark.parametrize("given, error, text", [
    ({"x": [1, 2]}, ValueError, "step: the optimizer trains no parameter 'x'; "
     "optimizer.parameters has all"),
    ({3: [1, 2]}, TypeError, "step: the keys must be parameters or their names, got a int"),
    ({"0": [1, 2, 3]}, ValueError, "step: the gradient of '0' has the shape (3), expected (2)"),
    ({tapehead.Parameter([1.0]): [1]}, ValueError,
     "step: the optimizer doesn't train a parameter of shape (1)"),
    ([1, 2], TypeError, "step takes the result of tape.gradients(loss), or a dict of gradients by "
     "parameter, got a list")])
def test_wrong_gradients_of_a_step(given, error, text):
    w = tapehead.Parameter([1.0, 2.0])
    optimizer = tapehead.SGD([w], lr=0.1)
    with pytest.raises(error) as raised:
        optimizer.step(given)
    assert str(raised.value) == text and optimizer.steps == 0 and w.tolist() == [1, 2]


def test_state_is_a_dict_of_arrays():
    w = tapehead.Parameter([1.0, 2.0])
    optimizer = tapehead.AdamW([w], lr=0.1, beta1=0.5)
    optimizer.step({w: [2.0, 4.0]})
    state = optimizer.state
    assert sorted(state) == ["first.0", "second.0"]
    np.testing.assert_allclose(state["first.0"], [1, 2])
    optimizer.step({w: [2.0, 4.0]})
    np.testing.assert_allclose(state["first.0"], [1, 2])  # a copy
    again = pickle.loads(pickle.dumps(optimizer))
    for name, array in optimizer.state.items():
        np.testing.assert_array_equal(again.state[name], array)
    with pytest.raises(AttributeError, match="AdamW: 'state' can't be set, only lr"):
        optimizer.state = {}


def test_a_custom_optimizer_can_have_a_state():
    class Own(tapehead.Optimizer):
        pass

    optimizer = Own([tapehead.Parameter([1.0])])
    assert optimizer.state == {}
    optimizer.state = {"n": 3}
    assert optimizer.state == {"n": 3} and copy.deepcopy(optimizer.steps) == 0
