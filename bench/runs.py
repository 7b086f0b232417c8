"""Training runs that only produce metrics, and files that keep the results."""
import json
import os
import re
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

from contenders import run_tapehead


def train(path, words, seed, threads, look=lambda run: None):
    """Returns the lines of metrics.jsonl from `tapehead train WORDS`. Calls `look` with the run
    folder, and then deletes the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "run")
        more = ["--seed", str(seed), "--out", out, "--threads", str(threads)]
        run_tapehead([path, "train", *words, *more])
        look(out)
        with open(os.path.join(out, "metrics.jsonl")) as file:
            return [json.loads(line) for line in file]


def keep(path, found):
    """Writes all results so far, so that stopping a long script loses only the current part."""
    if path:
        with open(path + ".new", "w") as file:
            json.dump(found, file, indent=1)
            file.write("\n")
        os.replace(path + ".new", path)


def replace_table(path, start, text):
    """Replaces the table of a page whose first line begins with `start`. Exits unless there is
    exactly one such table."""
    with open(path) as file:
        old = file.read()
    new, count = re.subn(rf"^{re.escape(start)}.*?\n\n", lambda _: text + "\n\n", old,
                         flags=re.M | re.S)
    if count != 1:
        sys.exit(f"{path}: {count} tables begin with '{start}', expected 1")
    with open(path, "w") as file:
        file.write(new)


class Store:
    """Runs in a JSON Lines file, so that a script can be stopped and restarted."""

    def __init__(self, path, **about):
        """about: the data to record with each new run."""
        self.path, self.about, self.runs = path, about, []
        if path and os.path.exists(path):
            with open(path) as file:
                self.runs = [json.loads(line) for line in file]

    def has(self, command, seed):
        return any(r["command"] == command and r["seed"] == seed for r in self.runs)

    def add(self, run):
        self.runs.append({**run, **self.about})
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps(self.runs[-1]) + "\n")

    def complete(self, wanted, describe, at_once=1):
        """wanted: a list of (command, seed, function that makes the run). Makes the missing runs,
        several at a time, and prints the text from `describe` for each. Raises the first failure, and
        starts no more runs after it."""
        lock = threading.Lock()

        def make(function):
            run = function()
            with lock:
                self.add(run)
                print(describe(run), flush=True)

        with ThreadPoolExecutor(at_once) as pool:
            jobs = [pool.submit(make, function) for command, seed, function in wanted
                    if not self.has(command, seed)]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
