"""Tests of ablation, patching, circuits and probes in Python: equal to `tapehead inspect`."""
import json
import os
import subprocess

import numpy as np
import pytest

import tapehead

COMMAND = os.environ.get("TAPEHEAD_COMMAND")
RUNS = {"gpt": ("copy", {"layers": 2, "heads": 2}), "encoder": ("reverse", {"arch": "encoder"}),
        "encoder-decoder": ("reverse", {"arch": "encoder-decoder"})}
ABLATIONS = [{"by": "zero"}, {"by": "mean"}, {"by": "zero", "heads": "0.1"}, {"heads": "0.0,0.1"},
             {"pairs": True}, {"positions": True}, {"by": "zero", "positions": True}]
PATCHES = [{}, {"clean": "3 1 4 1"}, {"clean": "3 1 4 1", "corrupted": "2 7 1 8"},
           {"clean": "1 1 2 1", "corrupted": "1 1 2 9"}]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {arch: tapehead.train(task, length=4, width=16, steps=30, out=folder / arch,
                                 **{"layers": 1, "heads": 2, **options})
            for arch, (task, options) in RUNS.items()}


def inspected(experiment, run, options):
    """Returns the JSON of `tapehead inspect`."""
    words = [word for name, value in options.items()
             for word in ([f"--{name}"] if value is True else [f"--{name}", str(value)])]
    done = subprocess.run([COMMAND, "inspect", experiment, run.path, "--json", *words],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def same(ours, theirs):
    """Returns whether numbers or texts are equal; JSON has null for NaN."""
    return [None if x != x else x for x in ours] == theirs


def check_equal(found, document):
    [table] = document["tables"] or [{"rows": []}]
    assert len(found.table) == (len(table["rows"][0]) if table["rows"] else 0)
    for name, column in found.table.items():
        assert same(column.tolist(), [row[name] for row in table["rows"]])
    assert [grid.title for grid in found.grids] == [grid["title"] for grid in document["grids"]]
    for ours, theirs in zip(found.grids, document["grids"]):
        assert (ours.rows, ours.columns) == (theirs["rows"], theirs["columns"])
        assert all(map(same, ours.values.tolist(), theirs["values"]))
        assert ours.strongest == theirs["full"]
    assert found.numbers == document["numbers"]
    assert (found.title, found.notes) == (document["title"], document["notes"])


@pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
@pytest.mark.parametrize("arch", RUNS)
@pytest.mark.parametrize("options", ABLATIONS, ids=str)
def test_ablations_equal_those_of_inspect(runs, arch, options):
    options = options | {"examples": 40}
    check_equal(runs[arch].ablate(**options), inspected("ablate", runs[arch], options))


@pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
@pytest.mark.parametrize("arch", RUNS)
@pytest.mark.parametrize("options", PATCHES, ids=str)
def test_patches_equal_those_of_inspect(runs, arch, options):
    if arch == "gpt":  # with completions, which only a GPT accepts
        options = {name: f"{text} {text}" for name, text in options.items()}
    check_equal(runs[arch].patch(**options), inspected("patch", runs[arch], options))


CIRCUITS = [("path", "path_patch", {"by": "mean"}), ("path", "path_patch", {"metric": "loss"}),
            ("edges", "edge_attribution", {"steps": 3}), ("edges", "edge_attribution", {}),
            ("circuit", "circuit", {"threshold": 0.1}),
            ("circuit", "circuit", {"method": "attribution", "steps": 2, "metric": "square"})]


@pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
@pytest.mark.parametrize("arch", ["gpt", "encoder"])
@pytest.mark.parametrize("name, method, options", CIRCUITS, ids=str)
def test_circuits_equal_those_of_inspect(runs, arch, name, method, options):
    options = options | {"examples": 20, "top": 5}
    document = inspected(name, runs[arch], options)
    found = getattr(runs[arch], method)(**options)
    check_equal(found, document)
    [graph] = document["graphs"]
    for column, values in found.edges.items():
        assert values.tolist() == [edge[column] for edge in graph["edges"]]


@pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
@pytest.mark.parametrize("options", [{}, {"property": "token", "at": "blocks.0.mlp.neurons"}])
def test_probes_equal_those_of_inspect(runs, options):
    options = options | {"examples": 60}
    found = runs["gpt"].probe(**options)
    check_equal(found, inspected("probe", runs["gpt"], options))
    assert found.edges == {}


@pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
def test_scores_equal_those_of_inspect(tmp_path):
    subprocess.run([COMMAND, "compile", "count", "--out", tmp_path / "run"], check=True)
    run = tapehead.load(str(tmp_path / "run"))
    found, document = run.score(examples=20), inspected("score", run, {"examples": 20})
    for name, column in found.table.items():
        assert same(column.tolist(), [row[name] for row in document["tables"][0]["rows"]])
    with pytest.raises(ValueError):
        run.score(examples=0)


def test_selected_edges_and_errors(runs):
    run = runs["gpt"]
    prompts = {"clean": "3 1 4 1 3 1 4 1", "corrupted": "2 7 1 8 2 7 1 8"}
    found = run.path_patch("embedding", "head 0.1", **prompts)
    assert found.edges["input"].tolist() == ["query", "key", "value"]
    for call in (lambda: run.path_patch("head 9.9"), lambda: run.probe("x"),
                 lambda: run.probe(at="x"), lambda: run.circuit(by="x"),
                 lambda: run.edge_attribution(examples=0), lambda: run.edge_attribution(steps=-1),
                 lambda: run.circuit(threshold=-1.0), lambda: run.path_patch(top=-1)):
        with pytest.raises(ValueError):
            call()


def test_patches_equal_hooks_by_hand(runs):
    run, point = runs["gpt"], "blocks.0.out"
    clean, corrupted = [run.parse("1 1 2 1 1 1 2 1"), run.parse("1 1 2 9 1 1 2 9")]
    # Both passes read the prompt and the tokens before the first different one.
    clean, corrupted, right, wrong = clean[:-1], corrupted[:-1], clean[-1], corrupted[-1]

    def difference():
        last = run.logits([corrupted]).numpy()[0, -1].astype("float64")
        return last[right] - last[wrong]
    source = run.capture(point, [clean])
    found = run.patch("1 1 2 1 1 1 2 1", "1 1 2 9 1 1 2 9")
    before, whole = found.numbers["corrupted"], found.numbers["clean"]
    assert difference() == before
    shares = []
    for position in range(len(clean)):
        def replace(x):
            y = x.numpy().copy()
            y[:, position] = source[:, position]
            return y
        with run.hook(point, replace):
            shares.append((difference() - before) / (whole - before))
    stream = found.grids[0]
    assert stream.title == "Residual stream"
    assert stream.values[stream.rows.index("block 0")].tolist() == shares


def test_results_show_text_a_page_and_plots(runs):
    pytest.importorskip("matplotlib").use("agg")
    run = runs["gpt"]
    found = run.ablate(examples=20)
    assert found.table["without"].shape == found.table["loss"].shape == (10,)
    assert "without" in str(found) and found._repr_html_().startswith("<iframe")
    assert "<html" in found.page()
    [axes] = found.plot()
    assert len(axes.patches) == 10
    found = run.ablate(examples=20, positions=True)
    assert found.table == {} and [len(grid.rows) for grid in found.grids] == [2, 2]
    assert len(found.plot()) == 2
    assert found.grids[0].plot().get_title() == "Loss increase"


def test_a_tape_records_no_experiment(runs):
    run = runs["gpt"]
    with tapehead.Tape() as tape:
        run.ablate(examples=20), run.patch(), run.evaluate(20)
        assert len(tape) == 0


@pytest.mark.parametrize("call, error, text", [
    (lambda run: run.ablate(examples=0), ValueError, "ablate: examples must be at least 1, got 0"),
    (lambda run: run.ablate(by="max"), ValueError, "unknown by 'max'; expected mean or zero"),
    (lambda run: run.ablate(heads="9.9"), ValueError, "unknown heads '9.9'"),
    (lambda run: run.ablate(heads="0.1", pairs=True), ValueError,
     "ablate: use only one of heads, pairs and positions"),
    (lambda run: run.ablate(heads=0.1), TypeError, "heads must be text, got 0.1"),
    (lambda run: run.ablate(True), TypeError, "positional argument"),
    (lambda run: run.patch("3 1 4 1", "3 1"), ValueError,
     "copy expects 4 tokens, as in 66f7; got 2 tokens"),
    (lambda run: run.patch("3 1 4 1", "3 1 4 1"), ValueError,
     "clean and corrupted must have different completions, but both have "),
    (lambda run: run.path_patch("head 9.9"), ValueError,
     "unknown writer 'head 9.9'; did you mean 'head 0.0'?"),
    (lambda run: run.path_patch("embedding", "hed 0.1"), ValueError,
     "unknown reader 'hed 0.1'; did you mean 'head 0.1'?"),
    (lambda run: run.path_patch(writer=1), TypeError, "writer must be text, got 1"),
    (lambda run: run.path_patch(by="zero", clean="3 1 4 1"), ValueError,
     "by zero replaces outputs without a corrupted prompt; remove clean and corrupted"),
    (lambda run: run.circuit(method="acdc", steps=3), ValueError,
     "steps has no effect with method acdc; remove it, or use method attribution"),
    (lambda run: run.sample("3 1 4 1", top_k=-1), ValueError,
     "sample: top_k must be at least 0, not -1"),
    (lambda run: run.patch("3 1 4 1", "3 1 4 x"), ValueError, "x")])
def test_wrong_arguments(runs, call, error, text):
    with pytest.raises(error) as raised:
        call(runs["gpt"])
    assert text in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("call", ["ablate", "patch", "path_patch", "edge_attribution"])
def test_experiments_refuse_hooks(runs, call):
    run = runs["gpt"]
    with run.hook("blocks.0.out", print):
        with pytest.raises(ValueError) as raised:
            getattr(run, call)()
    assert str(raised.value) == (f"{call}: replaces activations itself, so it can't run the hook at "
                                 "'blocks.0.out'; end the hook first")
