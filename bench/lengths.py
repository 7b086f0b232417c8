#!/usr/bin/env python3
"""Length generalization of addition: trains models to add numbers of up to 20 digits, and of up to
5, with each position scheme, and evaluates them on longer numbers. Updates the tables in
docs/studies.md: the median exact match over the seeds, for each scheme and length. Schemes with
equal results share a row. Runs that are already in the --json file are not repeated, so the script
can be stopped and restarted."""
import argparse
import functools
import json
import os
import statistics
import sys
import tempfile

import runs
from contenders import Failure, add_tapehead, run_tapehead

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMON = ("--shorter true --reversed all --width 64 --heads 4 --biases false --qk-norm true "
          "--batch 64 --steps 3000 --lr 0.01 --adam-lr 0.01 --min-lr 0 --weight-decay 0.1 "
          "--warmup 100 --eval-every 0")
LONG = f"--digits 20 --layers 1 --attention-temperature head --average 0.99 {COMMON}"
SHORT = f"--digits 5 --layers 2 {COMMON}"
# The numbers of digits at which each configuration is evaluated. The model is trained with the
# first number.
LENGTHS = {LONG: (20, 25, 30, 40, 60, 80, 100), SHORT: (5, 6, 7, 8, 10, 15, 30)}
# The position schemes. The schemes with "example" are only in the example program, not in the
# command.
SCHEMES = {"none": "", "learned": "", "sinusoidal": "", "rotary": "", "alibi": "", "relative": "",
           "t5": "", "coupled": "example", "abacus": "example"}
EXAMPLES = 200  # number of validation examples for each length


def exact_matches(path, out, lengths):
    """Returns {length: exact match}; the value is None if the model has too few learned
    positions."""
    trained, *longer = lengths
    found = {}
    for digits in longer:
        words = [path, "eval", out, "--length", str(digits), "--examples", str(EXAMPLES), "--json"]
        try:
            result = json.loads(run_tapehead(words))
        except Failure as failure:
            if "depends on the length" not in str(failure):
                raise
            result = {"at_length": {"exact_match": None}}
        found.setdefault(trained, result.get("exact_match"))
        found[digits] = result["at_length"]["exact_match"]
    if found[trained] is None:
        whole = json.loads(run_tapehead([path, "eval", out, "--examples", str(EXAMPLES), "--json"]))
        found[trained] = whole["exact_match"]
    return found


def run(args, config, scheme, seed):
    path = args.example if SCHEMES[scheme] else args.tapehead
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "run")
        run_tapehead([path, "train", "add", *config.split(), "--position", scheme, "--seed",
                      str(seed), "--threads", "1", "--out", out])
        found = exact_matches(path, out, LENGTHS[config])
    return {"command": f"{scheme}: {config}", "scheme": scheme, "seed": seed,
            "exact_match": {str(digits): value for digits, value in found.items()}}


def percent(values):
    return "" if None in values else f"{100 * statistics.median(values):.1f}"


def table(all_runs, config):
    lengths = LENGTHS[config]
    lines = [f"| positions | {' | '.join(map(str, lengths))} |",
             f"|---|{'---:|' * len(lengths)}"]
    rows = {}  # the cells of a table row -> the schemes with these results
    for scheme in SCHEMES:
        some = [r["exact_match"] for r in all_runs if r["command"] == f"{scheme}: {config}"]
        if some:
            cells = tuple(percent([one[str(digits)] for one in some]) for digits in lengths)
            rows.setdefault(cells, []).append(scheme)
    lines += [f"| {', '.join(schemes)} | {' | '.join(cells)} |" for cells, schemes in rows.items()]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add_tapehead(parser)
    add("--example", metavar="PATH",
        default=os.path.join(ROOT, "build/release/examples/11_position_ids"))
    add("--seeds", metavar="N", type=int, default=5, help="seeds of each scheme, from 0 on [5]")
    add("--jobs", metavar="N", type=int, default=2, help="runs at a time, of one thread each [2]")
    add("--json", metavar="FILE", default=os.path.join(ROOT, "bench/lengths.jsonl"),
        help="results of all runs [bench/lengths.jsonl]")
    add("--out", metavar="FILE", default=os.path.join(ROOT, "docs/studies.md"), help="page to update")
    add("--digits", metavar="N", type=int, help="only one configuration: 20 or 5 digits")
    args = parser.parse_args()
    configs = [r for r in LENGTHS if args.digits in (None, LENGTHS[r][0])]
    store = runs.Store(args.json)
    wanted = [(f"{scheme}: {config}", seed, functools.partial(run, args, config, scheme, seed))
              for config in configs for seed in range(args.seeds) for scheme in SCHEMES]
    try:
        store.complete(wanted, lambda r: f"{r['scheme']}, seed {r['seed']}: {r['exact_match']}",
                       args.jobs)
    except Failure as failure:
        sys.exit(f"lengths: {failure}")
    for config in configs:
        runs.replace_table(args.out, f"| positions | {LENGTHS[config][0]} |",
                           table(store.runs, config))


if __name__ == "__main__":
    main()
