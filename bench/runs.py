"""Training runs that only produce metrics, and files that keep the results."""
import json
import os
import tempfile

from contenders import run_tapehead


def train(path, words, seed, threads, look=lambda run: None):
    """-> the lines of metrics.jsonl that `tapehead train WORDS` writes. `look` gets the run's
    folder, which is deleted then."""
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


class Store:
    """Runs kept in a file, so that a script can be stopped and restarted."""

    def __init__(self, path, **about):
        self.path, self.found = path, {**about, "runs": []}
        if os.path.exists(path):
            with open(path) as file:
                self.found["runs"] = json.load(file)["runs"]

    @property
    def runs(self):
        return self.found["runs"]

    def has(self, command, seed):
        return any(r["command"] == command and r["seed"] == seed for r in self.runs)

    def add(self, run):
        self.runs.append(run)
        keep(self.path, self.found)
