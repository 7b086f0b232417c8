"""Tests of runs saved from Python, of validation examples as arrays, and of wrong arguments."""
import copy
import json
import os
import pickle
import re
import subprocess

import numpy as np
import pytest

import tapehead
from tapehead import _command

COMMAND = os.environ.get("TAPEHEAD_COMMAND")
METRICS = [{"step": 1, "loss": 2.5}, {"step": 2, "loss": np.float32(0.5), "val_loss": 0.75}]
SIZES = dict(layers=2, heads=2, width=16)


def gpt(vocabulary=8, context=9, **options):
    return tapehead.GPT(vocabulary, context, seed=1, **SIZES | options)


def said(*words):
    if not COMMAND:
        pytest.skip("TAPEHEAD_COMMAND names no command")
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("options", [
    {}, {"position": "rotary", "norm": "rms", "mlp": "swiglu"}, {"attention": "differential"},
    {"window": 3}, {"tied_head": False}, {"dtype": "f64"}])
def test_a_saved_run_has_the_model(options, tmp_path):
    model = gpt(**options)
    run = tapehead.save_run(model, tmp_path / "mine", METRICS)
    assert repr(run) == f"<run {tmp_path / 'mine'}: text, step 2>"
    assert run.config["tokens"] == "ids" and run.config["vocabulary"] == 8
    assert {name: run.config[name.replace("_", "-")] for name in options} == options
    assert [line["loss"] for line in run.metrics] == [2.5, 0.5]
    assert run.metrics[-1]["digest"] == run.digest
    ids = np.arange(5)[None]
    assert run.logits(ids).numpy().tobytes() == model(ids).numpy().tobytes()
    assert run.logits("0 1 2 3 4").numpy().tobytes() == model(ids).numpy().tobytes()


def test_a_saved_run_opens_in_commands(tmp_path):
    np.save(tmp_path / "ids.npy", np.arange(400) % 8)
    path = tmp_path / "mine"
    run = tapehead.save_run(gpt(), path, METRICS, data=tmp_path / "ids.npy", lr=0.5)
    assert run.config["lr"] == 0.5
    assert json.loads(said("digest", "--json", path))["digest"] == run.digest
    assert "blocks.0.attention" in said("attention", path, "--input", "1 2 3", "--format", "html")
    assert "head 0.1" in said("inspect", "ablate", path, "--examples", 8)
    assert "0 1 2" in said("sample", path, "--prompt", "0 1 2", "--tokens", 4)
    said("export", path, tmp_path / "mine.npz", "--format", "npz")
    said("report", path, "--out", tmp_path / "report.html")
    assert re.search(r" done +0\.7500 ", said("runs", path))
    assert json.loads(said("eval", "--json", path))["step"] == 2
    assert run.evaluate(8)["examples"] > 0


def test_a_saved_run_of_a_task(tmp_path):
    first = tapehead.train("copy", length=5, steps=5, out=tmp_path / "first", **SIZES)
    model = gpt(vocabulary=first.vocabulary, context=9)
    run = tapehead.save_run(model, tmp_path / "mine", task="copy", length=5)
    assert run.steps == 0 and run.metrics == []
    assert run.evaluate(8)["examples"] == 8
    assert run.sample("3 1 4 1 5")[0].prompt == "3 1 4 1 5"


def test_a_changed_model_of_a_run_becomes_a_run(tmp_path):
    first = tapehead.train("add", layers=1, width=16, steps=5, out=tmp_path / "first")
    for model in first.model, copy.deepcopy(first.model), pickle.loads(pickle.dumps(first.model)):
        weight = next(iter(model.parameters.values()))
        weight.value = weight * 2
        run = tapehead.save_run(model, tmp_path / str(id(model)), METRICS)
        assert run.config == first.config | {"steps": 2} and run.steps == 2
        np.testing.assert_array_equal(next(iter(run.weights.values())), weight.numpy())
    with pytest.raises(TypeError, match="keeps the task and options of its run; remove task, lr"):
        tapehead.save_run(first.model, tmp_path / "other", task="copy", lr=1)


@pytest.mark.parametrize("call, error, text", [
    (lambda path: tapehead.save_run(tapehead.Linear(2, 3), path), TypeError,
     "save_run: the model must be a tapehead.GPT or a run's model, got a Linear; model.save"),
    (lambda path: tapehead.save_run(None, path), TypeError, "got a NoneType"),
    (lambda path: tapehead.save_run(gpt(), path, [{"loss": 1}]), ValueError,
     "metrics: an entry lacks 'step', got {'loss': 1}"),
    (lambda path: tapehead.save_run(gpt(), path, [{"step": 1.5, "loss": 1}]), ValueError,
     "save_run: metrics: step must be an integer of at least 0, got 1.5"),
    (lambda path: tapehead.save_run(gpt(), path, [{"step": -1, "loss": 1}]), ValueError, "got -1"),
    (lambda path: tapehead.save_run(gpt(), path, [{"step": 1, "loss": "low"}]), ValueError,
     "save_run: metrics: loss must be a number, got 'low'"),
    (lambda path: tapehead.save_run(gpt(), path, task="copy", length=5), ValueError,
     "save_run: the model has vocabulary 8, but task copy has 16"),
    (lambda path: tapehead.save_run(gpt(16, 7), path, task="copy", length=5), ValueError,
     "save_run: the model has context 7, but task copy has 9"),
    (lambda path: tapehead.save_run(gpt(), path, layers=3), ValueError,
     "save_run: layers: the model has this option; remove it"),
    (lambda path: tapehead.save_run(gpt(), path, task="cop"), ValueError, "copy")])
def test_what_save_run_refuses(call, error, text, tmp_path):
    with pytest.raises(error) as raised:
        call(tmp_path / "mine")
    assert text in str(raised.value)
    assert not (tmp_path / "mine").exists()


def test_a_folder_with_files_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=str(tmp_path)):
        tapehead.save_run(gpt(), tmp_path)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return tapehead.train("add", layers=1, width=16, steps=5,
                          out=tmp_path_factory.mktemp("runs") / "add")


def test_validation_examples_give_the_loss(run):
    inputs, targets = run.validation(64)
    assert inputs.shape == targets.shape == (64, inputs.shape[1])
    assert inputs.dtype == targets.dtype == np.int32 and -1 in targets
    loss = tapehead.cross_entropy(run.logits(inputs), targets)
    assert loss.item() == pytest.approx(run.evaluate(64)["loss"], rel=1e-6)
    with pytest.raises(ValueError, match="validation: examples is 0, expected at least 1"):
        run.validation(0)


@pytest.mark.parametrize("package", [tapehead, _command], ids=["compiled", "command"])
@pytest.mark.parametrize("given, named, text", [
    ((x for x in "ab"), {}, "a generator can be read only once; pass a list of its pairs"),
    (3, {}, "got a int"), (None, {}, 'expected a task, such as "copy", or resume=RUN'),
    ("copy", {"preset": 3}, "train: preset must be a name, got a int"),
    ("copy", {"on_step": 3}, "train: on_step must be a function (step, loss), got a int")])
def test_wrong_arguments_of_train(package, given, named, text):
    with pytest.raises(TypeError) as raised:
        package.train(given, **named)
    assert str(raised.value).startswith("train: ") and text in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_version_is_the_command_s(monkeypatch):
    version = said("--version").split()[1]
    monkeypatch.setattr(_command, "_program", lambda: COMMAND)
    assert tapehead.__version__ == version == _command.__getattr__("__version__")
    assert tapehead.numerics == _command.__getattr__("numerics") == 1


def test_runs_record_their_provenance(tmp_path):
    import shlex
    import sys
    tapehead.save_run(gpt(), tmp_path / "saved", METRICS)
    tapehead.train("copy", length=4, steps=1, batch=4, out=tmp_path / "trained")
    for name, step in ("saved", 2), ("trained", 0):
        session = json.loads((tmp_path / name / "provenance.jsonl").read_text())
        assert list(session) == ["step", "started", "version", "numerics", "compiler", "program",
                                 "command", "host"]
        assert session["step"] == step and session["version"] == tapehead.__version__
        assert shlex.split(session["command"]) == sys.orig_argv
        assert session["host"] == os.uname().nodename
