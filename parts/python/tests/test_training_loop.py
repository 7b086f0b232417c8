"""Tests of the custom training loop in docs/python.md: its length, and killed processes."""
import doctest
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

PAGE = (pathlib.Path(__file__).parents[3] / "docs/python.md").read_text("utf-8")
[BLOCK] = [block for block in re.findall(r"(?ms)^```pycon\n(.*?)^```$", PAGE) if "def fit(" in block]
LOOP = "".join(example.source for example in doctest.DocTestParser().get_examples(BLOCK)[:3])
START = f"import signal\nimport numpy as np, tapehead\n{LOOP}\n"


def test_the_loop_is_short():
    assert len(LOOP.splitlines()) <= 40


def python(code, folder):
    return subprocess.run([sys.executable, "-c", START + code], cwd=folder, text=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                          capture_output=True)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_killed_loop_continues_with_the_same_bits(tmp_path):
    whole = python("print(fit('whole', 60).digest)", tmp_path)
    assert whole.returncode == 0, whole.stderr
    for kill in ("steps", "pickle.dump"):  # between two checkpoints, and while one is written
        code = "\n".join([
            "count = 0",
            "def ended(*words, real=pickle.dump):",
            "    global count",
            "    count += 1",
            "    if count == 2: words[1].write(b'half'), os.kill(os.getpid(), signal.SIGKILL)",
            "    real(*words)",
            "pickle.dump = ended"]) if kill == "pickle.dump" else (
            "def batch(rows, *seed, real=batch):\n"
            "    if seed[1:] == (33, 1): os.kill(os.getpid(), signal.SIGKILL)\n"
            "    return real(rows, *seed)")
        assert python(f"{code}\nfit('{kill}', 60)", tmp_path).returncode == -signal.SIGKILL
        assert (tmp_path / kill).exists() and not (tmp_path / "runs" / kill).exists()
        resumed = python(f"print(fit('{kill}', 60).digest)", tmp_path)
        assert resumed.stdout == whole.stdout, resumed.stderr
