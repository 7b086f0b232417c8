#!/usr/bin/env python3
"""Measures the cost of each layer of parts/zoo, and its effect on a small task with several seeds.
Prints tables, which docs/studies.md summarizes. Runs that are already in the --json file are not
repeated, so the script can be stopped and restarted."""
import argparse
import functools
import json
import os
import statistics
import sys
from collections import defaultdict

import machine
import runs
from contenders import Failure, run_tapehead, tapehead_version
from temperature import spread

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LENGTHS = ("512", "1024", "2048", "4096")
TEXT = ("text --width 64 --layers 2 --position rotary --batch 16 --steps 600 --eval-every 0 "
        "--data tinyshakespeare.txt")
RECALL = "recall --steps 400 --eval-every 10"
SWITCH = "--attention switchhead --heads 2 --expert-width 12"


def shown(*kinds):
    return {f"`{kind}`": kind for kind in kinds}


# The sections of the report, one for each attention layer: the command, the columns of the table,
# and the options of each variant.
SECTIONS = {
    "gated-heads": (TEXT, "loss first", shown(
        "--attention standard", "--heads 2 --width 68", "--attention gated-heads")),
    "differential": (RECALL, "exact reached", {
        f"{position}, {name}": f"--position {position} {kind}"
        for position in ("learned", "rotary")
        for name, kind in {"one head": "--heads 1", "two heads": "--heads 2",
                           "one differential": "--heads 1 --attention differential"}.items()}),
    "differential, on text": (TEXT, "loss", shown(
        "--attention standard", "--attention differential",
        "--heads 2 --attention differential")),
    "sinks": ("copy --eval-every 0", "loss exact", shown(*(
        f"--attention {kind} --window {window}" for window in (12, 15, 16)
        for kind in ("standard", "sinks", "sinks --sinks 8")))),
    "linear": ("copy --eval-every 25", "exact reached", shown(*(
        f"--length {length} --attention {kind}" for length in (16, 32, 48)
        for kind in ("standard", "linear")))),
    "linear, on recall": (RECALL, "exact reached", shown(
        "--attention standard", "--attention linear")),
    "latent": (TEXT, "loss", shown("--attention standard", "--kv-heads 1", *(
        f"--attention latent --latent {latent}" for latent in (4, 8, 16, 32)))),
    "switchhead": (TEXT, "loss", {"`--heads 8`": "--heads 8", "`--heads 2`": "--heads 2",
                          "4 experts": SWITCH,
                          "1 expert": f"{SWITCH} --experts 1 --active-experts 1"}),
}
COLUMNS = {"loss": "loss", "first": "weight on the first token", "exact": "exact match",
           "reached": "reached 99 % | steps to it"}
# Attention layers with a window, with which weights trained without a window are evaluated. The
# evaluation needs a training step, whose learning rate is negligible (NO_STEP).
FEWER = ("--attention standard", *(f"--attention {kind} --window {window}" for window in (4, 8)
                                   for kind in ("standard", "sinks --sinks 1", "sinks")))
NO_STEP = "--steps 1 --lr 1e-12 --min-lr 0"


class Bench:
    def __init__(self, given):
        self.given = given
        self.folder = os.path.join(ROOT, "build/release") if not given.build else given.build
        self.tapehead = os.path.join(self.folder, "bin/tapehead")
        self.store = runs.Store(given.json, version=tapehead_version(self.tapehead),
                                processor=machine.processor_name())

    def tool(self, *words):
        """Runs bench_zoo, and returns its JSON lines."""
        out = run_tapehead([os.path.join(self.folder, "bench_zoo"), *words])
        return [json.loads(line) for line in out.splitlines()]

    def words(self, text):
        return [os.path.join(self.given.data, word) if word.endswith(".txt") else word
                for word in text.split()]

    def all(self, seeds):
        """Makes the missing runs."""
        commands = dict.fromkeys(f"{task} {kind}" for task, _, kinds in SECTIONS.values()
                                 for kind in kinds.values())
        wanted = [(command, seed, functools.partial(self.run, command, seed))
                  for seed in range(seeds) for command in commands]
        self.store.complete(wanted, lambda r: f"seed {r['seed']}: {r['command']}: {r['loss']}",
                            self.given.jobs)

    def run(self, command, seed):
        found = {}

        def look(run):
            if command.startswith("text"):
                found["first"] = self.tool("first", run)[0]["first"]
            if "switchhead" in command:
                found["use"] = self.tool("experts", run)
            if command == f"{TEXT} {FEWER[0]}":
                found["fewer"] = {kind: self.loss_with(kind, run, seed) for kind in FEWER}

        lines = runs.train(self.tapehead, self.words(command), seed, 1, look)
        there = [line["step"] for line in lines if line.get("exact_match", 0) >= 0.99]
        return {"command": command, "seed": seed, "loss": lines[-1]["val_loss"],
                "exact": lines[-1].get("exact_match"), "steps": there[0] if there else None, **found}

    def loss_with(self, kind, run, seed):
        """Returns the loss of a run's weights with another attention layer."""
        words = self.words(f"{TEXT} {NO_STEP} {kind}") + ["--init", run]
        return runs.train(self.tapehead, words, seed, 1)[-1]["val_loss"]

    def found(self, command, key):
        return [r[key] for r in self.store.runs
                if r["command"] == command and r.get(key) is not None]

    # ---- tables

    def costs(self):
        """Prints the costs. Times are the smallest over the rounds, because other programs only add
        time."""
        best = defaultdict(dict)
        for _ in range(self.given.rounds):
            for line in self.tool("cost", *LENGTHS):
                known = best[line["kind"]].setdefault(str(line["length"]), line)
                known["both"] = min(known["both"], line["both"])
        table("| kind | " + " | ".join(f"{int(n):,}" for n in LENGTHS)
              + " | times per doubling | memory, MB | in the cache | parameters |", 9, (
                  (f"`{kind}`", *(f"{at[n]['both']:.1f}" for n in LENGTHS),
                   f"{(at[LENGTHS[-1]]['both'] / at[LENGTHS[0]]['both']) ** (1 / 3):.1f}",
                   f"{at[LENGTHS[-1]]['bytes'] / 1e6:.1f}", f"{at[LENGTHS[-1]]['cache']:,}",
                   f"{at[LENGTHS[0]]['parameters']:,}") for kind, at in best.items()))

    def section(self, name):
        task, columns, kinds = SECTIONS[name]
        print(f"\n{name}: {task}\n")
        heads = " | ".join(COLUMNS[column] for column in columns.split())
        table(f"| options | {heads} |", heads.count("|") + 2, (
            [label, *(cell for column in columns.split()
                      for cell in self.cells(f"{task} {kind}", column))]
            for label, kind in kinds.items()))

    def cells(self, command, column):
        if column == "loss":
            digits = 4 if command.startswith("text") else 3
            return [spread(self.found(command, "loss"), lambda x: f"{x:.{digits}f}")]
        if column == "reached":
            steps = self.found(command, "steps")
            return [f"{len(steps)} of {len(self.found(command, 'exact'))}",
                    spread(steps, lambda x: f"{x:.0f}")]
        return [spread(self.found(command, column), lambda x: f"{100 * x:.1f}", " %")]

    def experts(self):
        """Prints the fractions of tokens that use a head's most used and least used expert, by
        layer."""
        rows = defaultdict(lambda: ([], []))
        for use in self.found(f"{TEXT} {SWITCH}", "use"):
            for line in use:
                n = line["experts"]
                for at in range(0, len(line["use"]), n):
                    most, least = rows[line["layer"], line["of"]]
                    most.append(max(line["use"][at:at + n]))
                    least.append(min(line["use"][at:at + n]))
        print("\nswitchhead: how evenly experts are used\n")
        table("| layer | experts of | most used | least used |", 3, (
            (str(layer), of, *(spread(shares, lambda x: f"{100 * x:.0f}", " %") for shares in both))
            for (layer, of), both in rows.items()))


def table(head, numbers, rows):
    print(head)
    columns = head.count("|") - 1
    print("|" + " --- |" * (columns - numbers + 1) + " ---: |" * (numbers - 1))
    for cells in rows:
        print(f"| {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--build", metavar="FOLDER", help="folder with bin/tapehead and bench_zoo [build/release]")
    add("--data", metavar="FOLDER", required=True, help="folder with tinyshakespeare.txt")
    add("--seeds", metavar="N", type=int, default=5, help="number of seeds, from 0 on [5]")
    add("--jobs", metavar="N", type=int, default=2, help="runs at a time, of one thread each [2]")
    add("--rounds", metavar="N", type=int, default=3, help="rounds of cost measurements (0: none) [3]")
    add("--json", metavar="FILE", default=os.path.join(ROOT, "bench/zoo.jsonl"),
        help="results of all runs [bench/zoo.jsonl]")
    given = parser.parse_args()
    bench = Bench(given)
    try:
        bench.all(given.seeds)
        if given.rounds > 0:
            bench.costs()
    except Failure as failure:
        sys.exit(f"zoo: {failure}")
    for name in SECTIONS:
        bench.section(name)
    print("\nsinks: weights trained with all keys, evaluated with fewer\n")
    fewer = bench.found(f"{TEXT} {FEWER[0]}", "fewer")
    table("| options | loss |", 2, (
        (f"`{kind}`", spread([losses[kind] for losses in fewer], lambda x: f"{x:.4f}"))
        for kind in FEWER))
    bench.experts()


if __name__ == "__main__":
    main()
