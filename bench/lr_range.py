#!/usr/bin/env python3
"""Compares the learning rate that `tapehead sweep --lr-range` finds with the results of a full
sweep over rates, on five tasks. Prints a table, which docs/guides/learning-rate.md quotes. A rate
is right if it is within a factor of 1.5 of the full sweep's best rate, or its loss is within 2 % of
the full sweep's lowest loss. Exits with status 1 if a rate isn't right."""
import argparse
import json
import os
import sys
import tempfile

import machine
import runs
from contenders import Failure, add_tapehead, run_tapehead, tapehead_version

STEP = 10 ** (1 / 8)  # factor between two rates of the full sweep
CASES = {  # task and options, steps, --lr, --min-lr
    "text": ("text --layers 3 --width 96 --warmup 100", 600, 1e-3, 1e-4),
    "sort": ("sort --length 8 --width 48 --layers 2", 400, 1e-2, 0),
    "add": ("add --layers 2 --width 64", 500, 1e-2, 1e-4),
    "recall": ("recall --width 48 --layers 2", 500, 2e-2, 1e-4),
    "copy, SGD": ("copy --length 8 --symbols 8 --width 32 --optimizer sgd", 600, 3e-3, 1e-4),
}


def words_of(case, data):
    words, steps, lr, min_lr = CASES[case]
    more = ["--data", data] if case == "text" else []
    return [*words.split(), *more, "--steps", str(steps), "--lr", str(lr), "--min-lr", str(min_lr)]


def lowest(lines):
    return min(line["val_loss"] for line in lines if "val_loss" in line)


def swept(path, words, lr, min_lr, threads):
    """Returns {rate: lowest validation loss} of a full sweep."""
    losses = {}
    for power in range(-12, 13):
        rate = float(f"{lr * STEP**power:.3g}")
        more = ["--lr", str(rate), "--min-lr", str(rate * min_lr / lr)]
        try:
            lines = runs.train(path, [*words, *more], 0, threads)
        except Failure:
            continue  # the run diverged
        losses[rate] = lowest(lines)
    return losses


def searched(path, words):
    """Returns the rate that --lr-range finds, and the number of its runs."""
    with tempfile.TemporaryDirectory() as scratch:
        more = ["--lr-range", "--out", os.path.join(scratch, "runs"), "--json"]
        found = json.loads(run_tapehead([path, "sweep", *words, *more]))
    best = found["combinations"][found["best"]]
    return float(best["settings"]["lr"]), len(found["combinations"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add_tapehead(parser)
    add("--data", metavar="FILE", required=True, help="tinyshakespeare.txt, for the task text")
    add("--threads", metavar="N", type=int, default=2, help="threads of each run [2]")
    args = parser.parse_args()
    print(f"Tapehead {tapehead_version(args.tapehead)}, {machine.processor_name()}\n")
    print("| case | sweep's best rate | loss | rate found | loss | runs | right |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    wrong = 0
    for case, (_, _, lr, min_lr) in CASES.items():
        words = words_of(case, args.data)
        losses = swept(args.tapehead, words, lr, min_lr, args.threads)
        best = min(losses, key=losses.get)
        rate, count = searched(args.tapehead, words)
        more = ["--lr", str(rate), "--min-lr", f"{rate * min_lr / lr:.2g}"]
        lines = runs.train(args.tapehead, [*words, *more], 0, args.threads)
        loss = lowest(lines)
        right = max(rate / best, best / rate) <= 1.5 or loss <= 1.02 * losses[best]
        wrong += not right
        print(f"| {case} | {best:g} | {losses[best]:.4f} | {rate:g} | {loss:.4f} | {count} | "
              f"{'yes' if right else 'no'} |", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
