"""Runs the sessions of parts/python/python.md."""
import doctest
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import tapehead

ROOT = pathlib.Path(__file__).parents[3]


PAGE = (ROOT / "parts/python/python.md").read_text()
# The section that is about the package without its compiled module.
BEFORE, ALONE, AFTER = re.split(r"(?ms)(^## With the command alone$.*?)(?=^## )", PAGE)


def session(page):
    return re.sub(r"^```.*$", "", page, flags=re.MULTILINE)


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parsed = doctest.DocTestParser().get_doctest(session(BEFORE + AFTER), {}, "python.md",
                                                 "python.md", 0)
    assert len(parsed.examples) > 20
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(parsed, out=told.append)
    assert runner.failures == 0, "".join(told)


def test_page_with_the_command_alone(tmp_path):
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
