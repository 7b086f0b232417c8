"""Tests of custom modules and optimizers, and of operations on all modules."""
import copy
import pickle

import numpy as np
import pytest

import tapehead
from own_optimizer import Momentum


class Block(tapehead.Module):
    def __init__(self, width, seed):
        super().__init__()
        self.norm = tapehead.LayerNorm(width)
        self.up = tapehead.Linear(width, 2 * width, seed=seed)
        self.down = tapehead.Linear(2 * width, width, seed=seed + 1)
        self.scale = tapehead.Parameter(np.ones(width))

    def forward(self, x):
        return x + self.down(tapehead.tanh(self.up(self.norm(x)))) * self.scale


class Net(tapehead.Module):
    def __init__(self):
        super().__init__()
        self.width = 4
        self.blocks = [Block(4, 1), Block(4, 3)]
        self.heads = {"a": tapehead.Linear(4, 2, seed=5)}

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.heads["a"](x)


X = np.random.default_rng(1).normal(size=(3, 4))
TREE = """\
Net                  186
  blocks.0: Block    88
    norm: LayerNorm  8
      gain           (4)
      bias           (4)
    up: Linear       40
      weight         (8, 4)
      bias           (8)
    down: Linear     36"""


def test_a_module_of_ones_own():
    net = Net()
    assert net(X).shape == (3, 2) and net(X).dtype == "f32"
    assert list(net.parameters)[:3] == ["blocks.0.norm.gain", "blocks.0.norm.bias",
                                        "blocks.0.up.weight"]
    assert len(net.parameters()) == 16 and net.blocks[1].scale.path == "blocks.1.scale"
    assert str(net).startswith(TREE) and repr(net) == str(net)
    assert net.parameters["blocks.1.scale"] is net.blocks[1].scale
    assert tapehead.gradcheck(net, X) and tapehead.gradcheck(net, X, second=True)
    assert net.parameters["heads.a.weight"].dtype == "f32"
    np.testing.assert_array_equal(net(X.tolist()).numpy(), net(X).numpy())


@pytest.mark.parametrize("trained", [
    lambda net: net, lambda net: net.parameters, lambda net: net.parameters(),
    lambda net: [net.blocks[0], net.blocks[1], *net.heads["a"].parameters()],
    lambda net: {"all": net, "again": net}])
@pytest.mark.parametrize("make", [tapehead.AdamW, tapehead.SGD, tapehead.Lion])
def test_optimizers_train_it(trained, make):
    net = Net()
    optimizer = make(trained(net), lr=0.01)
    losses = []
    for _ in range(30):
        with tapehead.Tape() as tape:
            loss = ((net(X) - 1) ** 2).mean()
            optimizer.step(tape.gradients(loss))
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0] and optimizer.steps == 30


def test_an_optimizer_of_ones_own():
    models = [tapehead.Linear(4, 2, seed=1) for _ in range(2)]
    optimizers = [Momentum(models[0], lr=0.1),
                  tapehead.SGD(models[1], lr=0.1, momentum=0.9, weight_decay=0)]
    for model, optimizer in zip(models, optimizers):
        for _ in range(3):
            with tapehead.Tape() as tape:
                optimizer.step(tape.gradients((model(X) ** 2).mean()))
    np.testing.assert_allclose(*(m.weight.numpy() for m in models), rtol=1e-6)
    assert optimizers[0].steps == 3
    with pytest.raises(TypeError, match=r"must define update\(parameter, gradient\)"):
        step_once(tapehead.Optimizer(models[0]), models[0])


def step_once(optimizer, model):
    with tapehead.Tape() as tape:
        gradients = tape.gradients(model(X).sum())
    optimizer.step(gradients)


def test_parameters_alone():
    w = tapehead.Parameter([1.0, 2.0])
    frozen = tapehead.Parameter(np.ones(2), trainable=False)
    optimizer = tapehead.SGD([w, frozen], lr=0.25, beta1=0, weight_decay=0)
    with tapehead.Tape() as tape:
        gradients = tape.gradients((w * w * frozen).sum())
    assert w in gradients and frozen not in gradients
    np.testing.assert_array_equal(gradients[w].numpy(), [2, 4])
    optimizer.step(gradients)
    np.testing.assert_array_equal(w.numpy(), [0.5, 1])
    assert repr(w) == "parameter([0.5, 1], (2), f32)" and "frozen" in repr(frozen)
    assert (w.shape, w.dtype, w.decay, len(w), w[0].item()) == ((2,), "f32", False, 2, 0.5)
    assert tapehead.Parameter(np.ones((2, 2)), dtype="f64").decay
    assert tapehead.Parameter(tapehead.tensor(np.ones(2))).dtype == "f64"


def test_values_are_set():
    layer = tapehead.Linear(2, 2)
    weight = layer.weight
    layer.weight = np.eye(2)
    weight.value += 1
    layer.weight -= 0.5
    assert layer.weight is weight and weight.tolist() == [[1.5, 0.5], [0.5, 1.5]]
    for wrong, text in [(np.ones(2), r"parameter 'weight' is \(2, 2\), but the new value is \(2\)"),
                        (tapehead.tensor(np.eye(2)), "parameter 'weight' is f32")]:
        with pytest.raises(ValueError, match=text):
            weight.value = wrong
    with tapehead.Tape() as tape:
        weight * 2
        with pytest.raises(ValueError, match="parameter 'weight' is watched by a tape"):
            weight.value = np.eye(2)


def test_parameters_are_watched_as_they_are_used():
    layer = tapehead.Linear(4, 2)
    with tapehead.Tape() as tape:
        penalty = (layer.parameters["weight"] ** 2).sum() + (layer.bias * 3).sum()
        gradients = tape.gradients(penalty)
    np.testing.assert_allclose(gradients[layer.weight].numpy(), 2 * layer.weight.numpy())
    np.testing.assert_allclose(gradients[layer.parameters["bias"]].numpy(), [3, 3])


class Tied(tapehead.Module):
    def __init__(self):
        super().__init__()
        self.table = tapehead.Embedding(5, 3)
        self.out = self.table.weight
        self.me = self  # a reference cycle

    def forward(self, ids):
        return self.table(ids) @ self.out.T


def test_gradients_by_path():
    net = Net()
    for of in net, net.parameters, dict(net.parameters):
        with tapehead.Tape() as tape:
            gradients = tape.gradients(net(X).sum(), of)
        assert {path: g.shape for path, g in gradients.items()} == {
            path: p.shape for path, p in net.parameters.items()}


def test_gradcheck_leaves_a_module_as_it_was():
    net = Net()
    before = [p.value for p in net.parameters()]
    assert tapehead.gradcheck(net, X)
    with tapehead.Tape():
        net(X)
        with pytest.raises(ValueError, match="changes the module's parameters, which isn't possible"):
            tapehead.gradcheck(net, X)
    with pytest.raises(ValueError, match="layer_norm: x is"):
        tapehead.gradcheck(net, X[:, :2])
    for p, value in zip(net.parameters(), before, strict=True):
        assert p.dtype == "f32"
        np.testing.assert_array_equal(p.numpy(), value.numpy())


def test_one_parameter_in_two_places_is_one():
    tied = Tied()
    assert list(tied.parameters) == ["table.weight"] and tied([[1, 2]]).shape == (1, 2, 5)
    before = tied.out.numpy()
    optimizer = tapehead.SGD(tied, lr=0.5, beta1=0, weight_decay=0)
    with tapehead.Tape() as tape:
        gradients = tape.gradients(tied([[1, 2]]).sum())
    slope = gradients[tied.out].numpy()
    optimizer.step(gradients)
    np.testing.assert_allclose(tied.out.numpy(), before - 0.5 * slope)
    for again in copy.deepcopy(tied), pickle.loads(pickle.dumps(tied)):
        again.out.value = np.ones((5, 3))
        assert again.table.weight.numpy().min() == 1 and list(again.parameters) == ["table.weight"]


def test_frozen_parameters_stay():
    net = Net().freeze()
    assert not any(p.trainable for p in net.parameters())
    net.heads["a"].unfreeze()
    before = net.blocks[0].scale.numpy()
    step_once(tapehead.SGD(net, lr=0.5), net)
    np.testing.assert_array_equal(net.blocks[0].scale.numpy(), before)
    assert "(4)  frozen" in str(net)


@pytest.mark.parametrize("make, x", [
    (Net, X), (lambda: tapehead.GPT(8, 4, layers=1, heads=2, width=8, seed=3), np.array([[1, 2, 3]])),
    (lambda: tapehead.Sequential(tapehead.Linear(4, 3), tapehead.tanh, tapehead.MLP(3, 5)), X)])
def test_copies_and_files(make, x, tmp_path):
    model = make()
    first = model.parameters()[0]
    first.value = first.numpy() + 0.5
    first.trainable = False
    right = model(x).numpy()
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    model.save(tmp_path / "a.safetensors")
    copies.append(make().load(tmp_path / "a.safetensors"))
    for each in copies:
        np.testing.assert_array_equal(each(x).numpy(), right)
    assert not copies[0].parameters()[0].trainable
    copies[0].parameters()[0].value = 0 * first.numpy()
    assert not np.array_equal(copies[0](x).numpy(), right)
    np.testing.assert_array_equal(model(x).numpy(), right)


def test_files_that_do_not_fit_change_nothing(tmp_path):
    path = tmp_path / "a.safetensors"
    tapehead.Sequential(tapehead.Linear(2, 2, seed=1), tapehead.Linear(2, 3, seed=1)).save(path)
    for layers, text in [([tapehead.Linear(2, 2)], "has '1.bias', which the module doesn't have"),
                         ([tapehead.Linear(2, 2), tapehead.Linear(2, 4)],
                          r"'1.weight' is f32 \(3, 2\), expected f32 \(4, 2\)"),
                         ([tapehead.Linear(2, 2), tapehead.Linear(2, 3), tapehead.Linear(3, 1)],
                          "'2.weight' is missing")]:
        model = tapehead.Sequential(*layers)
        before = [p.numpy() for p in model.parameters()]
        with pytest.raises(OSError, match=text):
            model.load(path)
        for p, value in zip(model.parameters(), before):
            np.testing.assert_array_equal(p.numpy(), value)


def test_weights_of_a_run_fit_its_model(tmp_path):
    run = tapehead.train("copy", layers=1, width=16, steps=2, eval_every=2, out=tmp_path / "run")
    model = run.model
    model.tokens.weight = 0 * model.tokens.weight
    model.load(tmp_path / "run/model.safetensors")
    np.testing.assert_array_equal(model.tokens.weight.numpy(), run.weights["tokens.weight"])
    model.tokens.weight = 0 * model.tokens.weight
    for each in (copy.deepcopy(run.model), pickle.loads(pickle.dumps(run.model)),
                 copy.deepcopy(copy.deepcopy(run.model))):
        np.testing.assert_array_equal(each.tokens.weight.numpy(), 0 * each.tokens.weight.numpy())


def test_parts_of_a_layer():
    model = tapehead.GPT(8, 4, layers=2, heads=2, width=8)
    assert len(model.blocks) == 2 and model.blocks[1].attention.qkv.weight.shape == (24, 8)
    assert model.blocks[1].mlp(np.ones((1, 2, 8))).shape == (1, 2, 8)


def test_shared_layers_have_the_same_parameters():
    model = tapehead.GPT(8, 4, layers=3, share_layers=1, tied_kv=True, heads=2, width=8)
    weight = model.blocks[0].attention.qkv.weight
    assert len(model.blocks) == 3 and weight.shape == (16, 8)
    assert model.blocks[2].attention.qkv.weight is weight
    names = [p.path for p in model.parameters() if p.path.startswith("blocks.")]
    assert names and all(name.startswith("blocks.0.") for name in names)
    before = weight.numpy()
    ids = np.array([[1, 2, 3]])
    for each in copy.deepcopy(model), pickle.loads(pickle.dumps(model)):
        assert len(each.parameters()) == len(model.parameters())
        np.testing.assert_array_equal(each(ids).numpy(), model(ids).numpy())
    optimizer = tapehead.AdamW(model, lr=0.1)
    with tapehead.Tape() as tape:
        optimizer.step(tape.gradients(tapehead.cross_entropy(model(ids), ids)))
    assert not np.array_equal(model.blocks[1].attention.qkv.weight.numpy(), before)


def test_a_pass_reaches_modules_within():
    class Outer(tapehead.Module):
        def __init__(self):
            super().__init__()
            self.inner = tapehead.GPT(8, 6, layers=1, width=16, heads=2, dropout=0.5)

        def forward(self, ids, scale=1):
            return self.inner(ids) * scale

    model, ids = Outer(), np.array([[1, 2, 3]])
    first = model(ids, step=1).numpy()
    np.testing.assert_array_equal(first, model(ids, step=1).numpy())
    np.testing.assert_array_equal(2 * first, model(ids, scale=2, step=1).numpy())
    assert not np.array_equal(first, model(ids, step=2).numpy())
    np.testing.assert_array_equal(model(ids).numpy(), model.inner(ids).numpy())


def test_anything_that_is_called_is_a_layer():
    model = tapehead.Sequential(tapehead.Linear(4, 3), tapehead.tanh, lambda x: 2 * x)
    np.testing.assert_allclose(model(X).numpy(), 2 * np.tanh(model[0](X).numpy()), rtol=1e-6)
    assert len(model) == 3 and [type(layer).__name__ for layer in model][0] == "Module"
    assert model(X[0].tolist()).shape == (3,)


class OwnBlock(tapehead.Module):
    def __init__(self, block, attention):
        super().__init__()
        self.block, self.attention = block, attention

    def forward(self, x):
        x = x + self.attention(self.block.attention_norm(x))
        return x + self.block.mlp(self.block.mlp_norm(x))


class OwnGPT(tapehead.Module):
    def __init__(self, gpt, blocks):
        super().__init__()
        self.gpt, self.blocks = gpt, blocks

    def forward(self, ids):
        x = self.gpt.tokens(ids) + self.gpt.positions(np.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.gpt.norm(x) @ self.gpt.tokens.weight.T


def test_a_block_with_another_attention(tmp_path):
    """Follows the error that says how to replace a part: custom layers, or a hook."""
    model = tapehead.GPT(8, 6, layers=2, heads=2, width=4, seed=1)
    ids = np.array([[1, 2, 3, 4], [5, 6, 7, 0]])
    same = OwnGPT(model, [OwnBlock(model.blocks[0], model.blocks[0].attention), model.blocks[1]])
    np.testing.assert_array_equal(same(ids).numpy(), model(ids).numpy())
    mine = tapehead.Linear(4, 4, seed=1)
    own = OwnGPT(model, [OwnBlock(model.blocks[0], mine), model.blocks[1]])
    run = tapehead.save_run(model, tmp_path / "run")
    norm, found = run.model.blocks[0].attention_norm, {}
    with run.hook("blocks.0.in", lambda x: found.update(x=x)):
        with run.hook("blocks.0.attention_out", lambda y: mine(norm(found["x"]))):
            np.testing.assert_array_equal(run.logits(ids).numpy(), own(ids).numpy())
    optimizer, losses = tapehead.AdamW(own, lr=0.1), []
    for step in range(20):
        with tapehead.Tape() as tape:
            losses.append(tapehead.cross_entropy(own(ids, step=step), ids))
            optimizer.step(tape.gradients(losses[-1]))
    assert losses[-1].item() < 0.1 * losses[0].item()


@pytest.mark.parametrize("call, text", [
    (lambda m: m(X, X), "takes 2 positional arguments but 3 were given"),
    (lambda m: tapehead.Linear(4, 2)(X, X),
     "a layer takes one input x, and the keywords step and seed; got 2 inputs"),
    (lambda m: tapehead.Linear(4, 2)(tapehead.tensor(X)), "f64 and f32 differ; convert one with cast"),
    (lambda m: m.eval(), r"Net has no 'eval'; use model\(x\)"),
    (lambda m: setattr(tapehead.GPT(8, 4, layers=1, heads=1, width=4).blocks[0], "attention", m),
     "^Block: 'attention' can't be replaced; write your own Block, and the layers around it, as "
     "tapehead.Modules that call the other parts, or replace its output with run.hook$"),
    (lambda m: setattr(tapehead.GPT(8, 4, layers=1, heads=1, width=4), "blocks", [m]),
     "^GPT: 'blocks' can't be replaced; write your own GPT"),
    (lambda m: tapehead.GPT(8, 4, layers=1, heads=1, width=4).blocks.__setitem__(0, m), "__setitem__"),
    (lambda m: m.state_dict(), "use model.parameters"), (lambda m: m.bock, "no attribute 'bock'"),
    (lambda m: tapehead.Linear(2, 2).weigth, "Linear has no attribute 'weigth'"),
    (lambda m: setattr(tapehead.Linear(2, 2), "weigth", 1), "its parts are weight, bias"),
    (lambda m: tapehead.Module()(X), "a custom module must define forward"),
    (lambda m: tapehead.AdamW(3), "trains modules and parameters, or lists of them, got a int"),
    (lambda m: tapehead.AdamW([tapehead.ones(2)]), r"create a parameter with tapehead.Parameter\(x\)"),
    (lambda m: tapehead.AdamW([]), "it was given none"), (lambda m: tapehead.AdamW(m).zero_grad(), "nothing"),
    (lambda m: tapehead.AdamW(m).step(m(X).sum()), "by parameter, got a .*Tensor"),
    (lambda m: tapehead.Parameter([1, 2], dtype="i32"), "must be f32 or f64, got i32"),
    (lambda m: setattr(m.heads["a"].weight, "data", 1), "'data' can't be set; use value"),
    (lambda m: setattr(tapehead.SGD(m), "rate", 1), "rate"),
    (lambda m: tapehead.Linear("a", 2), r"Linear.width, out, bias=True, seed=0.: width must be an "
     "integer, got 'a'$"),
    (lambda m: tapehead.Tape(m), "got a module, whose parameters are watched when used"),
    (lambda m: tapehead.Sequential(m, 3), "layer 1 isn't callable: 3")])
def test_what_goes_wrong_is_said_in_a_line(call, text):
    with pytest.raises(Exception, match=text) as error:
        call(Net())
    assert "\n" not in str(error.value)
