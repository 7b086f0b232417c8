#!/usr/bin/env python3
"""Measures each part of `train text --preset fast`, for the tables in docs/studies.md.

    bench/ablation.py --data tinyshakespeare.txt --json build/ablation.json > table.md

A part is one option or several related ones. The script adds each part to a GPT-2 of the preset's
size, and removes each part from the preset. It also adds parts that the preset doesn't have. Runs
that are already in the --json file are not repeated. Losses are in nats per character of the whole
validation (held-out) set.
"""
import argparse
import statistics

import runs
from contenders import add_tapehead

# Options of all runs: the preset's size, and no evaluations before the last step.
SIZE = {"layers": "4", "heads": "3", "width": "96", "batch": "12", "eval-every": "0"}
# The components of the preset. For each: its options, and the options that GPT-2 has instead.
PARTS = {
    "rotary positions": ({"position": "rotary"}, {"position": "learned"}),
    "RMS norm without parameters": ({"norm": "rms"}, {"norm": "layer"}),
    "query-key norm": ({"qk-norm": "true"}, {"qk-norm": "false"}),
    "causal convolutions": ({"convolution": "3"}, {"convolution": "0"}),
    "a gated MLP": ({"mlp": "swiglu", "mlp-width": "256"}, {"mlp": "gelu", "mlp-width": "384"}),
    "projections out start at zero": ({"zero-out": "true"}, {"zero-out": "false"}),
    "a temperature for each head": (
        {"attention-temperature": "head"},
        {"attention-temperature": "none"},
    ),
    "Muon for matrices": (
        {"optimizer": "muon", "lr": "0.02", "adam-lr": "0.005", "momentum": "0.9", "warmup": "10"},
        {"optimizer": "adamw", "lr": "0.003", "warmup": "50"},
    ),
    "flat, then linear to zero": (
        {"schedule": "wsd", "decay": "0.7", "min-lr": "0"},
        {"schedule": "cosine", "min-lr": "0.0003"},
    ),
    "no weight decay": ({"weight-decay": "0"}, {"weight-decay": "0.1"}),
    "averaged weights": ({"average": "0.98"}, {"average": "0"}),
}
# Alternatives that the preset doesn't use.
OTHERS = {
    "layers without biases": {"biases": "false"},
    "an untied output head": {"tied-head": "false"},
    "ReLU squared": {"mlp": "relu2", "mlp-width": "384"},
    "one head of keys and values": {"kv-heads": "1"},
    "six heads": {"heads": "6"},
    "gated heads": {"attention": "gated-heads"},
    "a window of 32": {"window": "32"},
    "Lion": {"optimizer": "lion", "lr": "0.0005", "momentum": None, "adam-lr": None},
    "Muon's momentum 0.95": {"momentum": "0.95"},
    "larger initial weights": {"init-std": "0.05"},
    "label smoothing of 0.05": {"smoothing": "0.05"},
    "half the batch, twice the steps": {"batch": "6"},
    "half the batch, sequences twice as long": {"context": "128", "batch": "6"},
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_tapehead(parser)
    parser.add_argument("--data", required=True)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="per run; 1: two runs at once")
    parser.add_argument("--json", metavar="FILE", help="file of finished runs")
    return parser.parse_args()


def rows():
    """Returns a list of (heading, name, options). The first row of each heading is the baseline."""
    preset, gpt2 = dict(SIZE), dict(SIZE)
    for part, without in PARTS.values():
        preset.update(part)
        gpt2.update(without)
    # Removing a part also removes its options, such as `decay`, because an unused option is an
    # error.
    found = [("one part added to GPT-2", "GPT-2's block, AdamW, cosine", gpt2)]
    for name, (part, _) in PARTS.items():
        found.append((found[0][0], name, {**gpt2, **part}))
    found.append(("one part taken out of the preset", "the preset", preset))
    for name, (part, without) in PARTS.items():
        kept = {key: value for key, value in preset.items() if key not in part}
        found.append(("one part taken out of the preset", name, {**kept, **without}))
    for name, options in OTHERS.items():
        merged = {**preset, **options}
        kept = {key: value for key, value in merged.items() if value is not None}
        found.append(("the preset with something else", name, kept))
    return found


def words(given, options):
    """Returns the arguments of `train`. All runs see the same number of tokens, so half the batch
    size doubles the steps."""
    options = dict(options)
    tokens = int(options["batch"]) * int(options.get("context", 64))
    steps = given.steps * 12 * 64 // tokens
    return ["text", "--data", given.data, "--steps", str(steps),
            *(word for name, value in options.items() for word in (f"--{name}", value))]


def run(given, name, command, seed):
    lines = runs.train(given.tapehead, command, seed, given.threads)
    return {"command": name, "seed": seed, "loss": lines[-1]["val_loss"],
            "seconds": lines[-1]["time"]["seconds"]}


def main():
    given = arguments()
    store = runs.Store(given.json, steps=given.steps)
    wanted, table = [], rows()
    for heading, name, options in table:
        command = words(given, options)
        for seed in range(given.seeds):
            key = " ".join(command[3:])
            wanted.append((key, seed, lambda c=command, k=key, s=seed: run(given, k, c, s)))
    store.complete(wanted, lambda r: f"<!-- {r['loss']:.4f} {r['seconds']:.1f} s -->",
                   2 if given.threads == 1 else 1)
    begun = None
    for heading, name, options in table:
        key = " ".join(words(given, options)[3:])
        found = [r for r in store.runs if r["command"] == key and r["seed"] < given.seeds]
        losses = [r["loss"] for r in found]
        if heading != begun:
            print(f"\n| {heading} | loss | from | to | seconds |\n| --- | ---: | ---: | ---: | ---: |")
            begun = heading
        print(f"| {name} | {statistics.median(losses):.3f} | {min(losses):.3f} | "
              f"{max(losses):.3f} | {statistics.median(r['seconds'] for r in found):.1f} |")


if __name__ == "__main__":
    main()
