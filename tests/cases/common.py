"""Shared helpers: the table of cases, and functions that run a command or a Python program."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.argv[1]).resolve())
MODULES = str(Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 and sys.argv[2] else ""
SEEDS = "--layers 1 --width 32 --steps 60 --eval-every 60"
cases = []


def case(number, title, python=False):
    """Decorates a case, which returns or yields pairs of output and whether it is right.
    `python`: the case needs the Python package."""
    def add(f):
        cases.append((str(number), title, python, f))
        return f
    return add


class Said:
    def __init__(self, process):
        self.status = process.returncode
        self.text = process.stdout.decode(errors="replace")
        self.errors = process.stderr.decode(errors="replace").strip()

    @property
    def short(self):
        lines = (self.errors or self.text).strip().splitlines()
        return lines[-1].removeprefix("tapehead: ") if lines else f"status {self.status}"

    def refused(self, *words):
        """Checks for a one-line message that contains one of the words."""
        one_line = self.status in (1, 2) and self.errors.count("\n") == 0
        found = not words or any(re.search(word, self.errors, re.I) for word in words)
        return one_line and self.errors.startswith("tapehead: ") and found


def shell(line, **environment):
    environment = {**os.environ, "T": COMMAND, "PYTHONPATH": MODULES, **environment}
    try:
        return Said(subprocess.run(["bash", "-c", line], capture_output=True, timeout=120,
                                   env=environment, stdin=subprocess.DEVNULL))
    except subprocess.TimeoutExpired as late:
        return Said(subprocess.CompletedProcess(line, 124, b"", b"no end within 2 minutes"))


def tapehead(line, **environment):
    return shell("$T " + line, **environment)


def python(program, **environment):
    Path("program.py").write_text(program)
    return shell(f"{sys.executable} program.py", **environment)


def preloaded(name, code):
    Path(name + ".c").write_text(code)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", name + ".so", name + ".c", "-lm"], check=True)
    return str(Path(name + ".so").resolve())


def write_hats(count=300):
    """Writes hats.txt, a text of `count` similar lines."""
    Path("hats.txt").write_text("".join(f"the hat in a tin, and {i} more\n"
                                        for i in range(1, count + 1)))


def lines_of(run):
    return [json.loads(line) for line in Path(run, "metrics.jsonl").read_text().splitlines()]


def digest(run):
    try:
        return lines_of(run)[-1]["digest"]
    except (OSError, LookupError, ValueError):
        return None


def each(results):
    """Returns the first wrong result, or else the last result."""
    for text, right in results:
        if not right:
            break
    return text, right
