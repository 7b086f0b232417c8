"""Functions for temporary training runs, and for files of their results."""
import json
import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

from contenders import run_tapehead


def train(path, words, seed, threads, look=lambda run: None):
    """Runs `tapehead train WORDS`, and returns the lines of its metrics.jsonl. Calls `look` with
    the run folder before deleting the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "run")
        more = ["--seed", str(seed), "--out", out, "--threads", str(threads)]
        run_tapehead([path, "train", *words, *more])
        look(out)
        with open(os.path.join(out, "metrics.jsonl")) as file:
            return [json.loads(line) for line in file]


def keep(path, found):
    """Writes all results so far, so that stopping a long script loses only its current section."""
    if path:
        with open(path + ".new", "w") as file:
            json.dump(found, file, indent=1)
            file.write("\n")
        os.replace(path + ".new", path)


class Store:
    """The results of runs, kept in a JSON Lines file, so that a script can be stopped and
    restarted."""

    def __init__(self, path, **about):
        """about: data that is added to each new run, such as the version."""
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
        """Makes the runs of `wanted` that are missing, `at_once` at a time, and prints
        describe(run) for each. wanted: a list of (command, seed, function that makes the run).
        Raises the first failure, and starts no more runs after it."""
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
