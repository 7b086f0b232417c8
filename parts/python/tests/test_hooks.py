"""Tests of hook points in Python: listing, reading, replacing, gradients, and equal ablations."""
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tapehead

COMMAND = os.environ.get("TAPEHEAD_COMMAND")
IDS = np.array([[3, 1, 4, 1, 5, 3, 1, 4, 1], [2, 7, 1, 8, 2, 2, 7, 1, 8]])
POINTS = ["in", "attention.heads", "attention.pattern", "attention_out", "mlp.neurons", "mlp_out",
          "out"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return tapehead.train("copy", length=5, layers=2, heads=2, width=16, steps=30,
                          out=tmp_path_factory.mktemp("runs") / "copy")


def test_points_are_listed(run):
    assert sorted(run.points()) == sorted(f"blocks.{i}.{p}" for i in range(2) for p in POINTS)
    assert run.points()[0] == "blocks.0.in" and run.points()[-1] == "blocks.1.out"


@pytest.mark.parametrize("arch, expected", [
    ("encoder", [f"blocks.0.{p}" for p in POINTS]),
    ("encoder-decoder", [f"encoder.0.{p}" for p in POINTS] + [f"decoder.0.{p}" for p in POINTS] +
     ["decoder.0.cross.heads", "decoder.0.cross.pattern", "decoder.0.cross_out"])])
def test_points_of_other_architectures(arch, expected, tmp_path):
    run = tapehead.train("reverse", arch=arch, layers=1, width=16, steps=2, out=tmp_path / "run")
    assert sorted(run.points()) == sorted(expected)


def test_capture_returns_arrays(run):
    found = run.capture(run.points(), IDS)
    assert list(found) != [] and set(found) == set(run.points())
    assert found["blocks.0.attention.pattern"].shape == (2, 2, 9, 9)
    assert found["blocks.1.out"].shape == (2, 9, 16)
    weights = run.attention(IDS[1])[1].weights.numpy()
    np.testing.assert_array_equal(
        run.capture("blocks.1.attention.pattern", IDS[1])[0], weights)
    texts = run.capture("blocks.0.in", ["3 1 4", "2 7 1"])
    np.testing.assert_array_equal(texts, run.capture("blocks.0.in", IDS[:, :3]))
    with pytest.raises(ValueError, match="the texts have 2 to 3 tokens, expected equal lengths"):
        run.capture("blocks.0.in", ["3 1 4", "2 7"])


def test_hooks_read_and_replace(run):
    before, seen = run.logits(IDS).numpy(), []
    with run.hook("blocks.0.attention_out", lambda x: seen.append(x.shape)):
        assert run.logits(IDS).numpy().tobytes() == before.tobytes()
    assert seen == [(2, 9, 16)]
    with run.hook("blocks.0.attention_out", lambda x: 0 * x):
        zero = run.logits(IDS).numpy()
        np.testing.assert_array_equal(run.model(IDS).numpy(), zero)
        assert not run.capture("blocks.0.attention_out", IDS).any()
    assert not np.array_equal(zero, before)
    with run.hook("blocks.0.attention_out", lambda x: np.zeros(x.shape)):
        np.testing.assert_array_equal(run.logits(IDS).numpy(), zero)
    assert run.logits(IDS).numpy().tobytes() == before.tobytes()


def test_a_pattern_can_be_replaced(run):
    with run.hook("blocks.1.attention.pattern", lambda x: np.eye(9) + 0 * x.numpy()):
        assert (run.capture("blocks.1.attention.pattern", IDS) == np.eye(9)).all()


def test_hooks_run_in_order_and_end_in_any_order(run):
    order = []
    one = run.hook("blocks.0.out", lambda x: order.append(1))
    two = run.hook("blocks.0.out", lambda x: order.append(2))
    one.__enter__(), two.__enter__()
    run.logits(IDS)
    one.__exit__(None, None, None)
    run.logits(IDS)
    two.__exit__(None, None, None)
    run.logits(IDS)
    assert order == [1, 2, 2]


def test_gradients_at_a_point(run):
    found = {}
    def keep(x):
        tape.watch(x)
        found["x"] = x
    with tapehead.Tape() as tape, run.hook("blocks.1.in", keep):
        loss = run.logits(IDS).sum()
        [slope] = tape.gradients(loss, [found["x"]])
    assert slope.shape == (2, 9, 16) and np.abs(slope.numpy()).max() > 0


@pytest.mark.parametrize("point", ["blocks.0.mlp_out", "blocks.0.attention.heads", "blocks.1.in",
                                   "blocks.1.attention.pattern"])
def test_gradients_at_a_point_equal_finite_differences(point, tmp_path):
    run = tapehead.train("copy", length=4, layers=2, heads=2, width=8, steps=5, dtype="f64",
                         out=tmp_path / "run")
    inputs, targets = run.validation(2)
    def loss():
        return tapehead.cross_entropy(run.logits(inputs), targets)
    found = []
    def keep(x):
        tape.watch(x)
        found.append(x)
    with tapehead.Tape() as tape, run.hook(point, keep):
        [slope] = tape.gradients(loss(), found)
    direction, step = np.random.default_rng(1).normal(size=slope.shape), 1e-5
    def moved(by):
        with run.hook(point, lambda x: x + by * direction):
            return loss().item()
    slopes = (moved(step) - moved(-step)) / (2 * step)
    np.testing.assert_allclose(slopes, (slope.numpy() * direction).sum(), rtol=1e-6)


def test_hooks_run_again_with_activation_checkpointing(run, tmp_path):
    run = tapehead.train("copy", length=5, layers=2, heads=2, width=16, steps=2, recompute=True,
                         out=tmp_path / "run")
    def gradient(f):
        with tapehead.Tape() as tape, run.hook("blocks.0.mlp_out", f):
            loss = run.logits(IDS).sum()
            return tape.gradients(loss, [run.parameters["tokens.weight"]])[0].numpy()
    seen = []
    whole = gradient(seen.append)
    assert len(seen) == 2
    assert not np.array_equal(gradient(lambda x: 0 * x), whole)


@pytest.mark.parametrize("code", [
    "hook = run.hook('blocks.0.out', print); hook.__enter__()",
    "thread = threading.Thread(target=lambda: kept.append(run.hook('blocks.0.out', print)) or "
    "kept[0].__enter__()); thread.start(); thread.join()"])
def test_hooks_that_never_end(run, code):
    start = f"import tapehead, threading; kept = []; run = tapehead.load({run.path!r}); "
    subprocess.run([sys.executable, "-c", start + code], check=True)


def test_errors_end_hooks(run):
    with pytest.raises(ZeroDivisionError):
        with run.hook("blocks.0.out", lambda x: 1 / 0):
            run.logits(IDS)
    with pytest.raises(ValueError, match="blocks.0"):
        with run.hook("blocks.0.out", lambda x: x[:1]):
            run.logits(IDS)
    run.logits(IDS)


def test_other_threads_and_runs_have_no_hooks(run):
    other, seen = tapehead.load(run.path), []
    with run.hook("blocks.0.out", seen.append):
        other.logits(IDS)
        thread = threading.Thread(target=lambda: run.logits(IDS))
        thread.start()
        thread.join()
    assert seen == []


@pytest.mark.parametrize("call, error, text", [
    (lambda run: run.hook("blocks.0.atention_out", print), ValueError,
     "hook: no point 'blocks.0.atention_out'; did you mean 'blocks.0.attention_out'?"),
    (lambda run: run.capture(["x"], IDS), ValueError,
     "hook: no point 'x'; run.points() lists them"),
    (lambda run: run.hook("blocks.0.out", 3), TypeError,
     "hook: f must be a function of a tensor, got a int")])
def test_wrong_arguments(run, call, error, text):
    with pytest.raises(error) as raised:
        call(run)
    assert str(raised.value) == text


@pytest.mark.parametrize("point, f", [
    ("blocks.0.mlp_out", lambda x: 0 * x), ("blocks.1.in", lambda x: x.numpy() ** 2),
    ("blocks.0.attention.pattern", lambda x: x.mean(-1, keep=True) + 0 * x)])
def test_evaluate_runs_hooks_on_any_number_of_threads(run, point, f):
    before = run.evaluate(100)
    with run.hook(point, f):
        [found, *others] = [run.evaluate(100, threads=threads) for threads in (1, 2, 5, 0)]
        expected = losses(run, *run.validation(100))
    assert others == [found] * 3 and found["loss"] != before["loss"]
    np.testing.assert_allclose(found["loss"], expected, rtol=1e-6)
    assert run.evaluate(100) == before


def test_sample_runs_hooks(run):
    ids, plain = run.parse("3 1 4 1 5"), run.sample("3 1 4 1 5", temperature=0)[0].text
    with run.hook("blocks.1.out", lambda x: -x):
        text = run.sample("3 1 4 1 5", temperature=0)[0].text
        for _ in range(5):
            ids.append(int(run.logits([ids]).numpy()[0, -1].argmax()))
    assert text == run.show(ids[5:]) != plain


def test_attention_runs_hooks(run):
    with run.hook("blocks.1.attention.pattern", lambda x: np.eye(9) + 0 * x.numpy()):
        zero, one = run.attention(IDS[0])
    assert (one.weights.numpy() == np.eye(9)).all() and (zero.weights.numpy() != np.eye(9)).any()


@pytest.mark.parametrize("arch, point", [
    ("encoder", "blocks.0.mlp_out"), ("encoder-decoder", "decoder.0.cross_out")])
def test_other_architectures_evaluate_and_sample_with_hooks(arch, point, tmp_path):
    run = tapehead.train("reverse", arch=arch, length=4, layers=1, width=16, steps=2,
                         out=tmp_path / "run")
    seen = []
    with run.hook(point, lambda x: seen.append(x.shape)):
        assert run.evaluate(8)["examples"] == 8
        evaluated = len(seen)
        assert evaluated > 1 and run.sample("3 1 4 1") and len(seen) > evaluated


@pytest.mark.parametrize("threads", [1, 5])
def test_errors_end_an_evaluation(run, threads):
    with run.hook("blocks.0.out", lambda x: 1 / 0):
        with pytest.raises(ZeroDivisionError):
            run.evaluate(200, threads=threads)
        with pytest.raises(ZeroDivisionError):
            run.sample("3 1 4 1 5")
    assert run.evaluate(4)["examples"] == 4


def losses(run, inputs, targets):
    """Returns the mean loss as `inspect ablate` sums it: for each example, then over examples."""
    logs = tapehead.log_softmax(run.logits(inputs)).numpy().astype("float64")
    total = 0.0
    for row, wanted in zip(logs, targets):
        loss = 0.0
        for log, target in zip(row, wanted):
            if target >= 0:
                loss -= log[target]
        total += loss
    return total / (targets >= 0).sum()


@pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
def test_ablations_equal_those_of_inspect(run):
    done = subprocess.run([COMMAND, "inspect", "ablate", run.path, "--by", "zero", "--examples",
                           "32", "--json"], capture_output=True, text=True, check=True)
    rows = {row["without"]: row["loss"]
            for row in json.loads(done.stdout)["tables"][0]["rows"]}
    inputs, targets = run.validation(32)
    ours = {}
    for layer in range(2):
        for head in range(2):
            def without(x):
                return x * np.repeat(np.arange(2) != head, 8)
            with run.hook(f"blocks.{layer}.attention.heads", without):
                ours[f"head {layer}.{head}"] = losses(run, inputs, targets)
        for name in "attention", "mlp":
            with run.hook(f"blocks.{layer}.{name}_out", lambda x: 0 * x):
                ours[f"{name} {layer}"] = losses(run, inputs, targets)
    assert {name: rows[name] for name in ours} == ours
