#!/usr/bin/env python3
"""Measures the overhead of recording and differentiating an op, in Tapehead (with bench_tape) and,
if it is installed, in PyTorch. Runs chains of ops on scalars on one thread. Prints nanoseconds of
CPU time per op, forward and backward, as medians over several rounds."""
import argparse
import json
import os
import statistics
import sys
import time

from contenders import Failure, run_tapehead
from report import show

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALLS = {"add": lambda y, x: y + x, "mul": lambda y, x: y * x, "exp, neg": lambda y, x: (-y).exp(),
         "tanh": lambda y, x: y.tanh(), "mul, add, tanh": lambda y, x: (y * x + x).tanh()}


def by_torch(torch, chain, dtype, ops, rounds):
    """Returns the nanoseconds per op of forward and of backward in PyTorch."""
    call, each = CALLS[chain], chain.count(",") + 1
    x = torch.tensor(1.0, dtype=getattr(torch, dtype), requires_grad=True)
    forward, backward = [], []
    for _ in range(rounds + 1):  # the first round is the warm-up
        start = time.thread_time()
        y = x
        for _ in range(ops // each):
            y = call(y, x)
        recorded = time.thread_time()
        torch.autograd.backward(y)
        del y
        backward.append(time.thread_time() - recorded)
        forward.append(recorded - start)
    return [1e9 * statistics.median(some[1:]) / ops for some in (forward, backward)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--program", metavar="PATH", default=os.path.join(ROOT, "build/release/bench_tape"))
    add("--ops", metavar="N", type=int, default=3000, help="number of ops in a chain [3000]")
    add("--rounds", metavar="N", type=int, default=21, help="number of rounds per chain [21]")
    args = parser.parse_args()
    try:
        import torch
    except ImportError:
        torch = None
    try:
        lines = run_tapehead([args.program, str(args.ops), str(args.rounds)]).splitlines()
    except Failure as failure:
        sys.exit(f"tape: {failure}")
    rows = [["chain", "type", "forward", "backward", "sum", "PyTorch", "backward", "sum"]]
    for found in map(json.loads, lines):
        figures = [found["forward"], found["backward"]]
        figures.append(sum(figures))
        if torch:
            dtype = "float" + found["dtype"][1:]
            theirs = by_torch(torch, found["chain"], dtype, found["ops"], args.rounds)
            figures += [*theirs, sum(theirs)]
        cells = [f"{figure:,.0f}" for figure in figures]
        rows.append([found["chain"], found["dtype"], *cells, *["-"] * (6 - len(cells))])
    show("Nanoseconds an op", rows, 2)


if __name__ == "__main__":
    main()
