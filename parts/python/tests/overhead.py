#!/usr/bin/env python3
"""Measures the time of one-element ops from Python in microseconds, also PyTorch's if installed:
PYTHONPATH=build/lint/parts/python python3 parts/python/tests/overhead.py"""
import statistics
import time

import tapehead


def median(f, calls=2000, rounds=101):
    """Returns the median time of a call over many rounds, in microseconds."""
    def one():
        start = time.perf_counter()
        f(calls)
        return (time.perf_counter() - start) / calls * 1e6
    return statistics.median(one() for _ in range(rounds))


def plain(f, x, y):
    def run(calls):
        for _ in range(calls):
            f(x, y)
    return median(run)


def chain(start, backward):
    """Returns the time per addition of 20 additions and their gradients."""
    def run(calls):
        for _ in range(calls // 20):
            backward(start)
    return median(run)


def ours(x):
    with tapehead.Tape(x) as tape:
        y = x
        for _ in range(20):
            y = y + x
        tape.gradients(y, [x])


def torchs(x):
    y = x
    for _ in range(20):
        y = y + x
    y.backward()


OPS = {"x + y": lambda x, y: x + y, "x * 2.0": lambda x, _: x * 2.0,
       "x.tanh()": lambda x, _: x.tanh()}


def main():
    x, y = tapehead.ones(1), tapehead.ones(1)
    table = {name: [plain(f, x, y)] for name, f in OPS.items()}
    table["+ on a tape"] = [chain(x, ours)]
    try:
        import torch
    except ImportError:
        torch = None
    if torch:
        torch.set_num_threads(1)
        x, y = torch.ones(1), torch.ones(1)
        for name, f in OPS.items():
            table[name].append(plain(f, x, y))
        table["+ on a tape"].append(chain(torch.ones(1, requires_grad=True), torchs))
    print(f"{'microseconds':14}{'tapehead':>10}" + (f"{'torch':>10}" if torch else ""))
    for name, row in table.items():
        print(f"{name:14}" + "".join(f"{each:10.2f}" for each in row))


if __name__ == "__main__":
    main()
