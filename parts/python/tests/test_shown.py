"""Tests of notebook output: tables, cards, figures and progress."""
import sys
import types

import numpy as np
import pytest

import tapehead
from tapehead import _command, _shown


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return tapehead.train("copy", layers=2, width=16, steps=6, eval_every=3,
                          out=tmp_path_factory.mktemp("runs") / "copy")


def test_a_tape_shows_its_table_after_its_block_too():
    x = tapehead.tensor(3.0)
    with tapehead.Tape(x) as tape:
        tape.gradients(x * x, [x])
        assert "mul" in str(tape)
    assert [line.split()[:2] for line in str(tape).splitlines()[1:]] == [["0", "watch"], ["1", "mul"]]
    assert tape._repr_html_().startswith("<pre>") and "9.0000" in tape._repr_html_()
    with tape:
        x + x
    assert "mul" not in str(tape)
    with pytest.raises(ValueError, match="nothing recorded yet"):
        str(tapehead.Tape())
    with pytest.raises(ValueError, match="only within its `with` block"):
        tape.gradients(x, [x])


def test_tapes_one_in_another_show_what_they_recorded():
    x = tapehead.tensor(3.0)
    with tapehead.Tape(x) as outer:
        x * x
        with tapehead.Tape(x) as inner:
            x + x
        del inner
        y = x - x
    assert "sub" in str(outer) and "mul" in str(outer) and "add" not in str(outer)
    assert tapehead.exp(y).item() == 1


def test_a_model_shows_its_tree():
    html = tapehead.Sequential(tapehead.Linear(2, 3))._repr_html_()
    assert html.startswith("<pre>Sequential") and "0: Linear" in html


def test_a_run_shows_its_card(run):
    html = run._repr_html_()
    for text in "<table>", "copy", run.digest, ">6<", "validation loss", "adamw":
        assert text in html
    assert _shown.table([("<b>", 1)]).count("&lt;b&gt;") == 1


def test_a_run_without_metrics_shows_its_card(tmp_path):
    run = tapehead.train("copy", layers=1, width=16, steps=1, out=tmp_path / "run")
    (tmp_path / "run" / "metrics.jsonl").unlink()
    assert run.metrics == [] and "copy" in run._repr_html_()
    (tmp_path / "run" / "metrics.jsonl").write_text('{"step": 1, "loss": null}\n')
    assert run.metrics == [{"step": 1, "loss": None}] and "copy" in run._repr_html_()


def test_figures(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = run.plot()
    training, held_out = axes.get_lines()
    assert list(training.get_xdata()) == [line["step"] for line in run.metrics]
    assert list(held_out.get_xdata()) == [3, 6] and axes.get_xlabel() == "step"
    assert run.plot(axes) is axes
    maps = run.attention()
    one, two = maps[0].plot()
    np.testing.assert_array_equal(two.images[0].get_array(), maps[0].weights.numpy()[1])
    assert one.get_title() == "blocks.0.attention, head 0"
    assert [len(layer) for layer in maps.plot()] == [2, 2]


def test_without_matplotlib_figures_say_what_they_need(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for plot in run.plot, run.attention().plot:
        with pytest.raises(ImportError, match="^plot: figures need Matplotlib; run pip install matplotlib"):
            plot()


def trained(package, tmp_path, **options):
    return package.train("copy", layers=1, width=16, steps=3, eval_every=3, out=tmp_path / "run",
                         **options)


def test_progress_is_a_line_where_it_is_asked_for(tmp_path, capsys):
    told = []
    trained(tapehead, tmp_path, progress=True, on_step=lambda step, loss: told.append(step))
    shown = capsys.readouterr().err
    assert shown.startswith("\rstep 1 of 3, loss 2.") and shown.endswith("\n") and told == [1, 2, 3]


def test_progress_is_a_bar_in_a_notebook(tmp_path, monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=shown.append)
    display = types.SimpleNamespace(HTML=str, display=lambda html, display_id: handle)
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell,
                                                                      display=display))
    trained(tapehead, tmp_path)
    assert len(shown) == 3 and '<progress value="3" max="3"></progress> step 3 of 3' in shown[-1]
    shell.kernel = None
    assert _shown.progress(3, None) is None and _command.with_progress(None, None, 3) is None
