#!/usr/bin/env python3
"""What a learned temperature does: several tasks with none, one per layer, one per head, several
seeds each. Prints the table of docs/temperature.md. Runs that the file of --json already holds are
not repeated, so that it can be stopped and called again."""
import argparse
import os
import statistics
import sys
from dataclasses import dataclass

import machine
import runs
from contenders import Failure, tapehead_version

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = ("none", "layer", "head")


@dataclass(frozen=True)
class Trial:
    """A task, its options besides the recipe, and a target, for which it is evaluated often."""

    task: str
    options: str
    target: float
    key: str = "exact_match"
    data: str = ""

    def words(self, kind, folder):
        given = ["--data", os.path.join(folder, self.data)] if self.data else []
        return [self.task, *given, *self.options.split(), "--attention-temperature", kind]

    def name(self, kind):
        return f"{self.task} {self.options} {kind}"

    @property
    def is_loss(self):
        return self.key == "val_loss"

    def reached(self, value):
        return value <= self.target if self.is_loss else value >= self.target

    @property
    def unit(self):
        return "" if self.is_loss else " %"

    def show(self, value):
        return f"{value:.4f}" if self.is_loss else f"{100 * value:.1f}"


TRIALS = (
    Trial("reverse", "--eval-every 10", 0.99),
    Trial("copy", "--eval-every 10", 0.99),
    Trial("recall", "--eval-every 10", 0.99),
    Trial("induction", "--eval-every 10", 0.99),
    Trial("majority", "--eval-every 10", 0.99),
    Trial("modular", "--eval-every 50", 0.99),
    Trial("sort", "--eval-every 50 --steps 600", 0.9),
    Trial("text", "--eval-every 50 --steps 500", 2.2, "val_loss", "tinyshakespeare.txt"),
)


def run(args, trial, kind, seed):
    lines = runs.train(args.tapehead, trial.words(kind, args.data), seed, args.threads)
    found = [line for line in lines if trial.key in line]
    there = [line["step"] for line in found if trial.reached(line[trial.key])]
    scales = [factor for module in lines[-1].get("attention_scale", {}).values()
              for values in module.values() for factor in values]
    return {"command": trial.name(kind), "seed": seed, "value": found[-1][trial.key],
            "steps": there[0] if there else None, "scales": scales}


def spread(values, show, unit=""):
    """Median, smallest and largest."""
    return (f"{show(statistics.median(values))}{unit} ({show(min(values))} to {show(max(values))})"
            if values else "")


def rows(store):
    for trial in TRIALS:
        for kind in KINDS:
            some = [r for r in store.runs if r["command"] == trial.name(kind)]
            if not some:
                continue
            there = [r["steps"] for r in some if r["steps"]]
            scales = [1 / factor for r in some for factor in r["scales"]]
            yield (trial.task, kind, spread([r["value"] for r in some], trial.show, trial.unit),
                   f"{len(there)} of {len(some)}",
                   spread(there, lambda steps: f"{steps:.0f}"),
                   spread(scales, lambda t: f"{t:.2f}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--tapehead", metavar="PATH", default=os.path.join(ROOT, "build/release/bin/tapehead"))
    add("--data", metavar="FOLDER", required=True, help="folder with tinyshakespeare.txt")
    add("--seeds", metavar="N", type=int, default=5, help="number of seeds, from 0 on [5]")
    add("--threads", metavar="N", type=int, default=2, help="threads of each run [2]")
    add("--json", metavar="FILE", default="temperature.json", help="results of all runs")
    args = parser.parse_args()
    version = tapehead_version(args.tapehead)
    store = runs.Store(args.json, version=version, processor=machine.processor())
    for seed in range(args.seeds):
        for trial in TRIALS:
            for kind in KINDS:
                if store.has(trial.name(kind), seed):
                    continue
                try:
                    store.add(run(args, trial, kind, seed))
                except Failure as failure:
                    sys.exit(f"temperature: {trial.name(kind)}: {failure}")
                last = store.runs[-1]
                print(f"seed {seed}: {last['command']}: {trial.show(last['value'])}, target at step "
                      f"{last['steps']}", file=sys.stderr, flush=True)
    print("| task | temperature | result | reached | steps to it | learned temperature |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for cells in rows(store):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
