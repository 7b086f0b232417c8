#!/usr/bin/env python3
"""Measures the effect of a learned attention temperature. Trains several tasks without a
temperature, with one per layer and with one per head, each with several seeds. Image tasks also run
with a masked diagonal, locality self-attention and shifted patches. Prints tables, which
docs/studies.md summarizes. Runs that are already in the --json file are not repeated, so the script
can be stopped and restarted."""
import argparse
import os
import statistics
import sys
from dataclasses import dataclass

import machine
import runs
from contenders import Failure, add_tapehead, tapehead_version

KINDS = ("none", "layer", "head")
OF_IMAGES = ("none", "head", "mask", "lsa")
# lsa has a learned factor instead of the constant 1 / sqrt(d). The factor starts at the value of
# this constant, where d = 64 / 4 is the width of a head in these models.
START = {"lsa": (64 / 4) ** -0.5}


@dataclass(frozen=True)
class Trial:
    """A task, its training options, and a target result; the step that reaches the target is
    reported. `patches` says whether images are read as plain or shifted patches."""

    task: str
    options: str
    target: float
    key: str = "exact_match"
    data: str = ""
    patches: str = ""

    @property
    def kinds(self):
        return OF_IMAGES if self.patches else KINDS

    def words(self, kind, folder):
        given = ["--data", os.path.join(folder, self.data)] if self.data else []
        how = (["--hide-self", "true"] if kind == "mask" else ["--attention-temperature", kind])
        return [self.task, *given, *self.options.split(), *how]

    def name(self, kind):
        return f"{self.task} {self.options} {kind}"

    @property
    def is_loss(self):
        return self.key == "val_loss"

    def reached(self, value):
        return value <= self.target if self.is_loss else value >= self.target

    @property
    def unit(self):
        return "" if self.is_loss or self.patches else " %"

    def show(self, value):
        return f"{value:.4f}" if self.is_loss else f"{100 * value:.1f}"


def of_images(task, options, target, data=""):
    """Returns trials of an image task, one for each kind of patches."""
    return (Trial(task, f"{options} --shifted-patches {shifted}", target, data=data, patches=patches)
            for shifted, patches in (("false", "plain"), ("true", "shifted")))


TRIALS = (
    Trial("reverse", "--eval-every 10", 0.99),
    Trial("copy", "--eval-every 10", 0.99),
    Trial("recall", "--eval-every 10", 0.99),
    Trial("induction", "--eval-every 10", 0.99),
    Trial("majority", "--eval-every 10", 0.99),
    Trial("modular", "--eval-every 50", 0.99),
    Trial("sort", "--eval-every 50 --steps 600", 0.9),
    Trial("text", "--eval-every 50 --steps 500", 2.2, "val_loss", "tinyshakespeare.txt"),
    *of_images("digits", "--eval-every 50", 0.98, "digits.csv"),
    *of_images("shapes", "--eval-every 50 --steps 500", 0.95),
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
    """Formats the median, the smallest and the largest value."""
    return (f"{show(statistics.median(values))}{unit} ({show(min(values))} to {show(max(values))})"
            if values else "")


def rows(store, trials):
    for trial in trials:
        for kind in trial.kinds:
            some = [r for r in store.runs if r["command"] == trial.name(kind)]
            if not some:
                continue
            there = [r["steps"] for r in some if r["steps"]]
            scales = [START.get(kind, 1) / factor for r in some for factor in r["scales"]]
            first = (trial.task, trial.patches, kind) if trial.patches else (trial.task, kind)
            yield (*first, spread([r["value"] for r in some], trial.show, trial.unit),
                   f"{len(there)} of {len(some)}",
                   spread(there, lambda steps: f"{steps:.0f}"),
                   spread(scales, lambda t: f"{t:.2f}"))


def print_table(store, trials, names, result="result"):
    found = list(rows(store, trials))
    if not found:
        return
    print(f"| {' | '.join(names)} | {result} | reached | steps to it | learned temperature |")
    print(f"|{' --- |' * len(names)} ---: | ---: | ---: | ---: |")
    for cells in found:
        print(f"| {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add_tapehead(parser)
    add("--data", metavar="FOLDER", required=True, help="folder with tinyshakespeare.txt and digits.csv")
    add("--only", metavar="TASK,...", help="only these tasks")
    add("--seeds", metavar="N", type=int, default=5, help="number of seeds, from 0 on [5]")
    add("--threads", metavar="N", type=int, default=2, help="threads of each run [2]")
    add("--json", metavar="FILE", default="temperature.json", help="results of all runs")
    args = parser.parse_args()
    version = tapehead_version(args.tapehead)
    store = runs.Store(args.json, version=version, processor=machine.processor_name())
    trials = [t for t in TRIALS if not args.only or t.task in args.only.split(",")]
    for seed in range(args.seeds):
        for trial in trials:
            for kind in trial.kinds:
                if store.has(trial.name(kind), seed):
                    continue
                try:
                    store.add(run(args, trial, kind, seed))
                except Failure as failure:
                    sys.exit(f"temperature: {trial.name(kind)}: {failure}")
                last = store.runs[-1]
                print(f"seed {seed}: {last['command']}: {trial.show(last['value'])}, target at step "
                      f"{last['steps']}", file=sys.stderr, flush=True)
    print_table(store, [t for t in trials if not t.patches], ("task", "temperature"))
    print_table(store, [t for t in trials if t.patches], ("task", "patches", "temperature"),
                "result, %")


if __name__ == "__main__":
    main()
