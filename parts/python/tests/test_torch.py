"""Compares a run's logits and gradients with a PyTorch module with the same weights."""
import importlib.util
import pathlib

import numpy as np
import pytest

import tapehead

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")


def test_logits_and_gradients(tmp_path):
    script = pathlib.Path(__file__).parents[3] / "bench/torch_from_run.py"
    spec = importlib.util.spec_from_file_location("torch_from_run", script)
    torch_from_run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(torch_from_run)
    run = tapehead.train("copy", layers=2, width=32, heads=4, steps=20, eval_every=20,
                         out=tmp_path / "a")
    model = torch_from_run.GPT(run.path, run.config["layers"], run.config["heads"])
    ids = np.random.default_rng(1).integers(0, run.vocabulary, (3, 12))
    targets = np.roll(ids, -1, axis=1)

    theirs = model(torch.tensor(ids))
    torch.nn.functional.cross_entropy(theirs.flatten(0, 1), torch.tensor(targets).flatten()
                                      ).backward()
    with tapehead.Tape() as tape:
        ours = run.logits(ids)
        loss = tapehead.cross_entropy(ours, targets)
        grads = tape.gradients(loss, run.parameters.values())
    np.testing.assert_allclose(ours.numpy(), theirs.detach().numpy(), atol=1e-4)
    of_theirs = {name.replace("norm.weight", "norm.gain"): p.grad
                 for name, p in model.named_parameters()}
    assert of_theirs.keys() == run.parameters.keys()
    for name, ours in zip(run.parameters, grads):
        np.testing.assert_allclose(ours.numpy(), of_theirs[name].numpy(), atol=1e-5, err_msg=name)


def test_tensors_go_to_torch_and_come_back():
    x = tapehead.tensor([[1.0, 2.0], [3.0, 4.0]])
    theirs = torch.from_dlpack(x)
    assert theirs.data_ptr() == x.numpy().ctypes.data
    back = tapehead.from_dlpack(theirs)
    assert np.shares_memory(back.numpy(), x.numpy())
    del x, theirs
    np.testing.assert_array_equal(back.numpy(), [[1, 2], [3, 4]])
