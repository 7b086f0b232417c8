"""Runs the notebooks, which check the claims in their text with `assert`."""
import ast
import json
import pathlib

import pytest

NOTEBOOKS = pathlib.Path(__file__).parents[1] / "notebooks"
try:
    import matplotlib
    matplotlib.use("agg")
except ImportError:
    matplotlib = None


def cells(name):
    """Returns the code cells; without Matplotlib, omits the cells that draw."""
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]
               if cell["cell_type"] == "code"]
    return [source for source in sources if matplotlib or "plot" not in source]


def run(source, names):
    """Runs a cell and returns the value that its last line displays."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("name", ["backpropagation", "transformer", "looking-inside"])
def test_a_notebook(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    shown = [run(source, names) for source in cells(name)]
    assert "assert" in "".join(cells(name)) and any(hasattr(x, "_repr_html_") for x in shown)


def test_a_notebook_runs_where_it_ran_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        names = {"__name__": "__main__"}
        for source in cells("looking-inside"):
            run(source, names)


def test_all_notebooks_are_run():
    mark = test_a_notebook.pytestmark[0]
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(mark.args[1])


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_results(path):
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None
        assert max(len(line.rstrip("\n")) for line in cell["source"]) <= 100


def test_a_kernel_shows_pages_cards_and_progress(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    v4 = nbformat.v4
    notebook = v4.new_notebook(cells=[v4.new_code_cell(each) for each in cells("looking-inside")])
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output.data.get("text/html", "") for cell in notebook.cells
             for output in cell.get("outputs", []) if "data" in output]
    for part in "<iframe", "<table>", "</progress> step 300 of 300":
        assert any(part in html for html in shown), part
