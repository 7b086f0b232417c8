"""Runs the Python sessions of docs/python.md, docs/start/your-task.md and README.md."""
import doctest
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import tapehead

try:
    import matplotlib
    matplotlib.use("agg")
except ImportError:
    matplotlib = None

ROOT = pathlib.Path(__file__).parents[3]
PAGE = (ROOT / "docs/python.md").read_text("utf-8")
TASK = (ROOT / "docs/start/your-task.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
# The section about the package without its compiled module runs in its own process.
BEFORE, ALONE, AFTER = re.split(r"(?ms)(^## Without the compiled module$.*?)(?=^## )", PAGE)


def session(page):
    """Returns the pycon blocks of a page; without Matplotlib, omits the lines that draw."""
    blocks = re.findall(r"(?ms)^```pycon\n(.*?)^```$", page)
    lines = "\n".join(blocks).splitlines(keepends=True)
    return "".join(line for line in lines if matplotlib or "plot(" not in line)


@pytest.mark.parametrize("page, text, at_least", [
    ("docs/python.md", BEFORE + AFTER, 50), ("README.md", README, 5),
    ("docs/start/your-task.md", TASK, 4)], ids=["python", "readme", "task"])
def test_a_page(page, text, at_least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parsed = doctest.DocTestParser().get_doctest(session(text), {}, page, page, 0)
    assert len(parsed.examples) >= at_least
    output = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(parsed, out=output.append)
    assert runner.failures == 0, "".join(output)


def test_page_without_the_compiled_module(tmp_path):
    command = os.environ.get("TAPEHEAD_COMMAND") or pytest.skip("TAPEHEAD_COMMAND names no command")
    shutil.copytree(pathlib.Path(tapehead.__file__).parent, tmp_path / "tapehead",
                    ignore=shutil.ignore_patterns("_core.*", "__pycache__"))
    (tmp_path / "page.txt").write_text(session(ALONE))
    assert ALONE.count(">>>") > 5
    paths = {"PATH": f"{pathlib.Path(command).parent}:{os.environ['PATH']}",
             "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "doctest", "page.txt"], cwd=tmp_path, text=True,
                          env=os.environ | paths, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
