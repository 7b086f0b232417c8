#!/usr/bin/env python3
"""Compares `tapehead train names` on one thread with the published times of eemicrogpt on an Apple
M5 core. The model is Karpathy's microgpt: one transformer block that learns names. eemicrogpt is a
C program for this model only.

    bench/microgpt.py --data names.txt

Prints the figures for docs/results.md. The first is the time per name in microseconds, as the
median over the steps (of 16 names) of a run. The second is the fraction of a profiled step that
isn't spent in ops and the optimizer, but in recording ops, making batches and summing gradients.
Sizes take turns in each round; figures are medians over the rounds."""
import argparse
import os
import re
import statistics
import sys
import tempfile

import runs
from contenders import Failure, add_tapehead, run_tapehead

BATCH = 16
MODEL = (f"--batch {BATCH} --layers 1 --context 16 --position learned --norm rms --qk-norm false "
         "--mlp relu --biases false --tied-head false --zero-out false --init-std 0.08 --dropout 0 "
         "--optimizer adamw --beta1 0.85 --weight-decay 0 --average 0 --clip 0 --schedule linear "
         "--warmup 0 --lr 0.007 --eval-every 0 --shards 1")
# For each width: the number of heads, and the time of eemicrogpt in microseconds.
SIZES = {16: (4, 3.0), 32: (4, 11.4), 64: (4, 36.8), 128: (8, 119)}
AROUND = re.compile(r"^(?:tape|batch|gradient sum|waiting and other) .*?([\d.]+) %", re.M)


def words(args, width, steps):
    return ["names", "--data", args.data, *MODEL.split(), "--width", str(width),
            "--heads", str(SIZES[width][0]), "--steps", str(steps)]


def microseconds(args, width):
    """Returns the median time of a step. A run reports its time every hundred steps."""
    lines = [line for line in runs.train(args.tapehead, words(args, width, args.steps), 0, 1)
             if "loss" in line]
    return statistics.median(1e6 * (b["time"]["seconds"] - a["time"]["seconds"]) /
                             (b["step"] - a["step"]) for a, b in zip(lines, lines[1:]))


def around(args, width):
    """Returns the percentage of a step's time that isn't spent in ops and the optimizer."""
    with tempfile.TemporaryDirectory() as scratch:
        output = run_tapehead([args.tapehead, "train", *words(args, width, 200), "--threads", "1",
                             "--profile", "--out", os.path.join(scratch, "run")])
    return sum(float(share) for share in AROUND.findall(output.split("\nmodule ")[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add_tapehead(parser)
    add("--data", metavar="FILE", required=True, help="names.txt")
    add("--steps", metavar="N", type=int, default=4000, help="steps of each run [4000]")
    add("--rounds", metavar="N", type=int, default=5, help="number of rounds [5]")
    args = parser.parse_args()
    try:
        times = [{width: microseconds(args, width) for width in SIZES} for _ in range(args.rounds)]
        shares = {width: around(args, width) for width in SIZES}
    except Failure as failure:
        sys.exit(f"microgpt: {failure}")
    print("| width | a step | a name | around the ops | eemicrogpt, a name |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for width, (_, published) in SIZES.items():
        step = statistics.median(some[width] for some in times)
        print(f"| {width} | {step:.0f} | {step / BATCH:.1f} | {shares[width]:.0f} % | {published:g} |")


if __name__ == "__main__":
    main()
