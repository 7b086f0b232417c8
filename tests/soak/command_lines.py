#!/usr/bin/env python3
"""Random command lines: the command must always end by itself with status 0, 1 or 2, and describe
errors in one line.

usage: tests/soak/command_lines.py COMMAND [COUNT] [SEED]
"""
import os
import random
import re
import subprocess
import sys
import tempfile

LIMIT = 60  # in seconds, for a line that starts a training
ODD = [
    "", " ", "-", "--", "-1", "0", "1", "2", "3", "7", "1e-3", "0.5", "1e308", "-0", "nan", "inf",
    "99999999999999999999", "0x10", "1,2", "a=b", "lr=1e-3", "tokens*", "true", "false", "none",
    "runs/a", "runs/b", "runs/none", "text", "rose.txt", "/dev/null", "/", ".", "é", "\u202e", "日本",
    "\x1b[31m", "a\nb", "\t", "'", '"', "$HOME", "%s%n", "{}", "x" * 3000, "\udcff",
]
# Options that would take long or wait for input.
SLOW = {"bench", "launch", "gradcheck", "check"}
WAITS = {"--watch"}


def told(command, *words):
    return subprocess.run([command, *words], capture_output=True, text=True).stdout


def read_options(text):
    """Returns the options, with the choices that the help names for each."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s+(?:-\w[^-]*, )?(--[\w-]+)(?: (\S+))?", line.replace("[no-]", ""))
        if match and match[1] not in WAITS:
            value = match[2] or ""
            found[match[1]] = value.split("|") if "|" in value else ([None] if value else [])
    return found


def commands_of(command):
    """Returns the options of each command and of each task's training, by its words."""
    names = re.findall(r"^  ([a-z]+)  ", told(command, "--help"), re.M)
    tasks = re.findall(r"^([a-z]+)  ", told(command, "tasks"), re.M)
    known = {}
    for name in names:
        if name in ("train", "sweep"):
            for task in tasks:
                known[name, task] = read_options(told(command, name, task, "--help", "all"))
        elif name not in SLOW:
            known[(name,)] = read_options(told(command, name, "--help"))
    return known


def random_line(draw, known):
    words = list(draw.choice(sorted(known)))
    options = known[tuple(words)]
    if draw.random() < 0.05:
        words[draw.randrange(len(words))] += draw.choice(ODD)
    for _ in range(draw.randrange(2)):
        words.append(draw.choice(ODD))
    for option in draw.sample(sorted(options), min(len(options), draw.randrange(5))):
        words.append(option if draw.random() < 0.97 else option + "x")
        if options[option]:
            choice = draw.choice(options[option])
            words.append(choice if choice and draw.random() < 0.7 else draw.choice(ODD))
    if words[0] in ("train", "sweep"):
        words += ["--steps", "2", "--batch", "2", "--width", "8", "--layers", "1"]
        words += ["--eval-examples", "2", "--eval-every", "0"]
    if words[0] == "sweep":
        words += ["--grid", draw.choice(["lr=1e-3,1e-2", "heads=1,2", draw.choice(ODD)])]
    return [word.replace("\0", "") for word in words]


def fault_of(result):
    if result.returncode not in (0, 1, 2):
        return f"status {result.returncode}"
    for name, text in ("output", result.stdout), ("errors", result.stderr):
        if b"\x1b[31m" in text or "\u202e".encode() in text:
            return f"an escape in its {name}"
    errors = result.stderr.decode(errors="replace").strip().splitlines()
    said = [line for line in errors if line.startswith("tapehead: ")]
    if result.returncode == 2 and (len(said) != 1 or len(errors) != 1):
        return "wrong usage in other than one line"
    return None


def main():
    command = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    draw = random.Random(seed)
    known = commands_of(command)
    statuses = {0: 0, 1: 0, 2: 0}
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("rose.txt", "w") as file:
            file.write("a rose is a rose is a rose\n" * 40)
        small = ["--steps", "4", "--width", "8", "--layers", "1", "--batch", "4"]
        for name, task in ("a", "copy"), ("b", "reverse"):
            subprocess.run([command, "train", task, *small, "--length", "4", "--symbols", "4",
                            "--out", f"runs/{name}"], capture_output=True, check=True)
        for _ in range(count):
            words = random_line(draw, known)
            try:
                result = subprocess.run(
                    [os.fsencode(word) for word in [command, *words]],
                    stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
                fault = fault_of(result)
                statuses[result.returncode] = statuses.get(result.returncode, 0) + 1
            except subprocess.TimeoutExpired:
                fault = f"no end within {LIMIT} s"
            if fault:
                faults += 1
                print(f"{fault}: {words!r}"[:600], flush=True)
    print(f"{count} command lines of {len(known)} commands, seed {seed}: " +
          ", ".join(f"status {status}: {number}" for status, number in sorted(statuses.items())) +
          f"; {faults} faults")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
