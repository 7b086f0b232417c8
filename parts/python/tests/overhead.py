#!/usr/bin/env python3
"""Measures what an op of one element costs from Python, in microseconds, beside PyTorch's where it is
installed: PYTHONPATH=build/lint/parts/python python3 parts/python/tests/overhead.py"""
import statistics
import time

import tapehead


def median(f, calls=2000, rounds=101):
    """The median of many rounds, of a call in microseconds."""
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
    """20 additions and their gradients, for each of them."""
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


def main():
    x, y = tapehead.ones(1), tapehead.ones(1)
    table = {"x + y": [plain(lambda a, b: a + b, x, y)], "x * 2.0": [plain(lambda a, _: a * 2.0, x, y)],
             "x.tanh()": [plain(lambda a, _: a.tanh(), x, y)], "+ on a tape": [chain(x, ours)]}
    try:
        import torch
    except ImportError:
        torch = None
    if torch:
        torch.set_num_threads(1)
        x, y = torch.ones(1), torch.ones(1)
        theirs = [plain(lambda a, b: a + b, x, y), plain(lambda a, _: a * 2.0, x, y),
                  plain(lambda a, _: a.tanh(), x, y), chain(torch.ones(1, requires_grad=True), torchs)]
        for row, each in zip(table.values(), theirs):
            row.append(each)
    print(f"{'microseconds':14}{'tapehead':>10}" + (f"{'torch':>10}" if torch else ""))
    for name, row in table.items():
        print(f"{name:14}" + "".join(f"{each:10.2f}" for each in row))


if __name__ == "__main__":
    main()
