"""Tests that shared parts of modules remain shared in copies, pickles and files."""
import copy
import gc
import pickle

import numpy as np
import pytest

import tapehead


class Tied(tapehead.Module):
    """A module with tied weights: the function tie(self, layer) sets the attributes that share."""

    def __init__(self, make, tie):
        super().__init__()
        self.layer = make()
        tie(self, self.layer)

    def forward(self, x):
        return x


def embedding():
    return tapehead.Embedding(5, 3, seed=1)


def gpt():
    return tapehead.GPT(5, 4, layers=2, heads=1, width=4, seed=1)


class Inner(tapehead.Module):
    def __init__(self):
        super().__init__()
        self.table = embedding()
        self.out = self.table.weight


def by_attribute(self, layer):
    self.head = layer.weight


def by_parameters(self, layer):
    self.head = layer.parameters["weight"]


def by_parameters_of_self(self, layer):
    self.head = self.parameters["layer.weight"]


def by_path(self, layer):
    self.head = layer.tokens.weight


def by_path_in_parameters(self, layer):
    self.head = layer.parameters["tokens.weight"]


def by_deep_path(self, layer):
    self.head = layer.blocks[1].mlp.parameters["in.weight"]


def by_part(self, layer):
    self.first, self.again = layer.blocks[0], {"also": layer.blocks[0].attention}


def in_containers(self, layer):
    self.all = [layer.weight, {"a": layer.weight, "b": (layer, layer.parameters)}]


def own_parameter(self, layer):
    self.a = tapehead.Parameter(np.ones((3, 3)), decay=False, matrix=False)
    self.b = [self.a, {"c": self.a}]


def own_modules(self, layer):
    self.twice = [layer, layer]
    self.outer = tapehead.Sequential(layer, layer)
    self.head = layer.table.parameters["weight"]


TIES = [(embedding, by_attribute), (embedding, by_parameters), (embedding, by_parameters_of_self),
        (gpt, by_path), (gpt, by_path_in_parameters), (gpt, by_deep_path), (gpt, by_part),
        (embedding, in_containers), (embedding, own_parameter), (Inner, own_modules)]
NAMES = [tie.__name__ for _, tie in TIES]
WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy} | {
    f"pickle {n}": lambda m, n=n: pickle.loads(pickle.dumps(m, n))
    for n in range(pickle.HIGHEST_PROTOCOL + 1)}


def sizes(model):
    return {path: p.size for path, p in model.parameters.items()}


def shared(model):
    """Returns a list of all paths for each parameter."""
    paths = {}
    for path, part in tapehead._core.parts_with_paths(model):
        if isinstance(part, tapehead.Parameter):
            paths.setdefault(id(part), (part, []))[1].append(path)
    return [found for _, found in paths.values()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make, tie", TIES, ids=NAMES)
def test_ties_stay(make, tie, way):
    model = Tied(make, tie)
    again = WAYS[way](model)
    gc.collect()
    assert sizes(again) == sizes(model) and shared(again) == shared(model)
    for path, p in model.parameters.items():
        q = again.parameters[path]
        np.testing.assert_array_equal(q.numpy(), p.numpy())
        assert (q.decay, q.matrix, q.trainable) == (p.decay, p.matrix, p.trainable)


@pytest.mark.parametrize("way", [way for way in WAYS if way != "copy"])
@pytest.mark.parametrize("make, tie", TIES, ids=NAMES)
def test_a_step_changes_both_names_of_a_copy(make, tie, way, tmp_path):
    model = Tied(make, tie)
    before = {path: p.numpy().copy() for path, p in model.parameters.items()}
    again = WAYS[way](model)
    optimizer = tapehead.SGD(again, lr=0.1, beta1=0, weight_decay=0)
    with tapehead.Tape() as tape:
        loss = sum((p * p).sum() for p in again.parameters.values())
        optimizer.step(tape.gradients(loss))
    again.save(tmp_path / "a")
    fresh = Tied(make, tie).load(tmp_path / "a")
    for path, part in tapehead._core.parts_with_paths(again):
        if isinstance(part, tapehead.Parameter):
            found = dict(tapehead._core.parts_with_paths(fresh))[path]
            np.testing.assert_array_equal(found.numpy(), part.numpy())
    for path, p in model.parameters.items():
        np.testing.assert_array_equal(p.numpy(), before[path])
        np.testing.assert_allclose(again.parameters[path].numpy(), 0.8 * before[path], atol=1e-7)


def test_parts_are_copied_by_themselves():
    model = gpt()
    for part in model.tokens, model.blocks[1], model.blocks[1].mlp:
        again = copy.deepcopy(part)
        assert sizes(again) == sizes(part)
        again.parameters()[0].value = 0 * again.parameters()[0].numpy()
        assert part.parameters()[0].numpy().any()
    weight = copy.deepcopy(model.tokens.weight)
    weight.value = 0 * weight.numpy()
    assert model.tokens.weight.numpy().any() and not weight.numpy().any()


def test_a_parameter_keeps_its_layer():
    right = tapehead.Linear(64, 64, seed=3).weight.numpy().copy()

    class Net(tapehead.Module):
        def __init__(self):
            super().__init__()
            self.map = tapehead.Linear(64, 64, seed=3)

    net = Net()
    alone, of_net = Net().parameters["map.weight"], net.parameters["map.weight"]
    net.map = tapehead.Linear(2, 2)
    gc.collect()
    for seed in range(20):
        tapehead.Linear(64, 64, seed=seed)
    np.testing.assert_array_equal(alone.numpy(), right)
    np.testing.assert_array_equal(of_net.numpy(), right)
    assert copy.deepcopy(of_net).shape == (64, 64)


def test_files_with_several_names_of_one_parameter(tmp_path):
    class Apart(tapehead.Module):
        def __init__(self, table, head):
            super().__init__()
            self.layer, self.head = embedding(), tapehead.Parameter(np.full((5, 3), head))
            self.layer.weight = np.full((5, 3), table)

    model = Tied(embedding, by_attribute)
    Apart(2.0, 2.0).save(tmp_path / "same")
    assert model.load(tmp_path / "same").head.numpy().min() == 2
    Apart(3.0, 4.0).save(tmp_path / "differ")
    with pytest.raises(OSError, match="'layer.weight' and 'head' differ, but the module has one"):
        model.load(tmp_path / "differ")
    assert model.layer.weight.numpy().max() == 2

    class Head(tapehead.Module):
        def __init__(self):
            super().__init__()
            self.head = tapehead.Parameter(np.full((5, 3), 5.0))

    Head().save(tmp_path / "head")
    assert model.load(tmp_path / "head").layer.weight.numpy().min() == 5


def test_flags_of_parameters_are_copied():
    model = tapehead.Linear(3, 2)
    model.weight.matrix, model.weight.decay, model.bias.trainable = False, False, False
    for again in copy.deepcopy(model), pickle.loads(pickle.dumps(model)):
        weight = again.weight
        assert (weight.matrix, weight.decay, again.bias.trainable) == (False, False, False)
    p = copy.deepcopy(tapehead.Parameter(np.ones((2, 2)), dtype="f64", matrix=False))
    assert (p.matrix, p.dtype, p.decay) == (False, "f64", True)


def test_pickles_of_earlier_versions():
    from tapehead import _modules
    again = _modules._made_again(tapehead.Linear, (2, 1), {}, {
        "weight": (tapehead.ones(1, 2), True, False), "bias": (tapehead.ones(1), False, False)})
    assert again.weight.tolist() == [[1, 1]] and not again.weight.decay
    assert again.weight.matrix and not again.bias.trainable
