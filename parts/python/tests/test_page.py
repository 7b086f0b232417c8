"""Runs the sessions of parts/python/python.md, and the notebook."""
import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "parts/python/python.md").read_text()
    session = re.sub(r"^```.*$", "", page, flags=re.MULTILINE)
    parsed = doctest.DocTestParser().get_doctest(session, {}, "python.md", "python.md", 0)
    assert len(parsed.examples) > 20
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(parsed, out=told.append)
    assert runner.failures == 0, "".join(told)


def test_notebook(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "parts/python/tapehead.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", [])
             if "data" in output]
    assert any("<iframe" in data.get("text/html", "") for data in shown)
