#!/usr/bin/env python3
"""Grokking: trains `modular --preset grokking` with and without weight decay, and updates a table
in docs/studies.md: the steps after which the training set is memorized and the validation set is
solved (median, smallest and largest over the seeds). Runs that are already in the --json file are
not repeated, so the script can be stopped and restarted."""
import argparse
import functools
import os
import statistics
import sys

import runs
from contenders import Failure, add_tapehead

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TASKS = {"a / b": "", "a + b": "--operation add --share 30"}
DECAYS = {"0.3": "", "0": "--weight-decay 0"}
LEARNED = 0.1  # training loss at which a right answer has a probability of 90 %
HALF = 0.5  # fraction of right answers on the validation set


def command(task, decay):
    return f"modular --preset grokking {TASKS[task]} {DECAYS[decay]}".split()


def run(path, task, decay, seed):
    """Returns the steps, training losses and exact matches of a run."""
    lines = runs.train(path, command(task, decay), seed, 1)
    return {"command": " ".join(command(task, decay)), "seed": seed,
            "seconds": lines[-1]["time"]["seconds"],
            "digest": [line["digest"] for line in lines if "digest" in line][-1],
            "loss": [[line["step"], line["loss"]] for line in lines],
            "exact_match": [[line["step"], line["exact_match"]] for line in lines
                            if "exact_match" in line]}


def first(curve, is_good):
    """Returns the first step whose value satisfies is_good, or None."""
    return next((step for step, value in curve if is_good(value)), None)


def spread(values, form):
    """Formats the median (smallest–largest), and how many runs have a value, unless all have
    one."""
    known = [v for v in values if v is not None]
    if not known:
        return "never"
    text = f"{form(statistics.median(known))} ({form(min(known))}–{form(max(known))})"
    return text if len(known) == len(values) else f"{text}, {len(known)} of {len(values)}"


def table(all_runs):
    lines = ["| task | weight decay | training loss < 0.1 | half of validation | 99 % of validation "
             "| at the end, % |", "|---|---:|---:|---:|---:|---:|"]
    for task in TASKS:
        for decay in DECAYS:
            some = [r for r in all_runs if r["command"] == " ".join(command(task, decay))]
            if not some:
                continue
            steps = [spread([first(r[curve], good) for r in some], lambda s: f"{s:,.0f}")
                     for curve, good in (("loss", lambda v: v < LEARNED),
                                         ("exact_match", lambda v: v >= HALF),
                                         ("exact_match", lambda v: v >= 0.99))]
            last = spread([r["exact_match"][-1][1] for r in some], lambda v: f"{100 * v:.0f}")
            lines.append(f"| {' | '.join((task, decay, *steps, last))} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add_tapehead(parser)
    add("--seeds", metavar="N", type=int, default=5, help="seeds of each row, from 0 on [5]")
    add("--jobs", metavar="N", type=int, default=2, help="runs at a time, of one thread each [2]")
    add("--json", metavar="FILE", default="grokking.json", help="results of all runs [grokking.json]")
    add("--out", metavar="FILE", default=os.path.join(ROOT, "docs/studies.md"), help="page to update")
    args = parser.parse_args()
    store = runs.Store(args.json)
    wanted = [(" ".join(command(task, decay)), seed,
               functools.partial(run, args.tapehead, task, decay, seed))
              for decay in DECAYS for seed in range(args.seeds) for task in TASKS]
    try:
        store.complete(wanted, lambda r: f"{r['command']}, seed {r['seed']}: "
                       f"{r['exact_match'][-1][1]} in {r['seconds']:.0f} s", args.jobs)
    except Failure as failure:
        sys.exit(f"grokking: {failure}")
    runs.replace_table(args.out, "| task | weight decay |", table(store.runs))


if __name__ == "__main__":
    main()
