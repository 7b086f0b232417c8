#!/usr/bin/env python3
"""What each part of a preset is worth: held-out losses without one part, or with one more.

    bench/ablation.py --data tinyshakespeare.txt > table.md

A part is an option or a few that belong together. Each row is the mean over the seeds.
"""
import argparse
import statistics

import runs

# What the preset changes, by part, and what the recipe has instead.
PARTS = {
    "rotary positions": ({"position": "rotary"}, {"position": "learned"}),
    "RMS norm without parameters": ({"norm": "rms"}, {"norm": "layer"}),
    "query-key norm": ({"qk-norm": "true"}, {"qk-norm": "false"}),
    "gated MLP": ({"mlp": "swiglu"}, {"mlp": "gelu"}),
    "projections out start at zero": ({"zero-out": "true"}, {"zero-out": "false"}),
    "a temperature for each head": (
        {"attention-temperature": "head"},
        {"attention-temperature": "none"},
    ),
    "Muon for matrices": (
        {"optimizer": "muon", "lr": "0.02", "adam-lr": "0.005", "warmup": "10"},
        {"optimizer": "adamw", "lr": "0.003", "warmup": "100"},
    ),
    "flat, then linear to zero": (
        {"schedule": "wsd", "decay": "0.7", "min-lr": "0", "weight-decay": "0"},
        {"schedule": "cosine", "min-lr": "0.0001", "weight-decay": "0.1"},
    ),
    "averaged weights": ({"average": "0.98"}, {"average": "0"}),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tapehead", metavar="PATH", default="build/release/bin/tapehead")
    parser.add_argument("--data", required=True)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--add", action="store_true", help="also add parts to the recipe")
    return parser.parse_args()


def train(given, settings, seed):
    """Held-out loss after the last step, and milliseconds per step without evaluations."""
    options = {"steps": given.steps, "eval-every": 0, "data": given.data, **settings}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    lines = runs.train(given.tapehead, ["text", *words], seed, given.threads)
    tokens = 12 * 64  # per step: the recipe's batch and context
    speeds = [tokens * 1000 / line["time"]["tokens_per_second"] for line in lines]
    return lines[-1]["val_loss"], statistics.median(speeds)


def row(given, name, settings):
    results = [train(given, settings, seed) for seed in range(given.seeds)]
    losses, times = zip(*results)
    print(f"| {name} | {statistics.mean(losses):.3f} | {statistics.mean(times):.0f} |", flush=True)


def header(title):
    print(f"| {title} | held-out loss | ms a step |\n|---|---|---|", flush=True)


def main():
    given = arguments()
    everything = {}
    for part, _ in PARTS.values():
        everything.update(part)
    header(f"{given.steps} steps")
    row(given, "the recipe", {})
    row(given, "all parts", everything)
    for name, (_, without) in PARTS.items():
        row(given, f"without: {name}", {**everything, **without})
    if given.add:
        for name, (part, _) in PARTS.items():
            row(given, f"recipe with: {name}", part)


if __name__ == "__main__":
    main()
