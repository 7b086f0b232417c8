#!/usr/bin/env python3
"""Compares Tapehead with PyTorch and JAX on this machine, in one run: time and memory of training
steps. Compares a whole run and start-up with PyTorch only. Skips libraries that aren't installed.
docs/results.md explains the method."""
import argparse
import os
import platform
import subprocess
import sys

import machine
import report
import runs
import sections
from contenders import Failure, Jax, Torch, add_tapehead, tapehead_version
from settings import COMPILED_BY_DEFAULT, CONFIGS, VARIANTS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def listed(known):
    def parse(text):
        values = text.split(",")
        for value in values:
            if value not in known:
                raise argparse.ArgumentTypeError(f"no '{value}'; there are {', '.join(known)}")
        return values

    return parse


def whole(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number of at least 1")
    return int(text)


def positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= 600:
        raise argparse.ArgumentTypeError(f"'{text}' must be above 0 and at most 600")
    return value


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add_tapehead(parser)
    add("--configs", metavar="A,B", type=listed(CONFIGS), default=list(CONFIGS),
        help=f"any of {', '.join(CONFIGS)}; default: all")
    add("--variants", metavar="A,B", type=listed(VARIANTS), default=list(VARIANTS),
        help=f"any of {', '.join(VARIANTS)}; default: all")
    add("--threads", metavar="N,N", type=lambda text: [whole(n) for n in text.split(",")],
        help="numbers of threads to try [1,2,4,... up to the processors]")
    add("--rounds", metavar="N", type=whole, default=5, help="rounds over all contenders [5]")
    add("--seconds", metavar="S", type=positive, default=1.0,
        help="approximate time per round, contender and variant [1]")
    add("--compile", choices=("none", "default", "all"), default="default",
        help=f"try torch.compile on none, {', '.join(COMPILED_BY_DEFAULT)}, or all")
    add("--data", metavar="FILE", help="text for the whole run, such as Tiny Shakespeare")
    add("--run-rounds", metavar="N", type=whole, default=3, help="whole runs of each contender [3]")
    add("--steps-only", dest="sections", action="store_false",
        help="skip growing contexts and generation")
    add("--clean-build", action="store_true", help="also time a clean build")
    add("--json", metavar="FILE", help="write all results to FILE, section by section")
    add("--quick", action="store_true", help="one short round of `tiny`, without torch.compile")
    args = parser.parse_args()
    if args.quick:
        args.configs, args.rounds, args.seconds, args.compile = ["tiny"], 1, 0.25, "none"
        args.sections = False
    args.tapehead = os.path.abspath(args.tapehead)
    if not os.access(args.tapehead, os.X_OK):
        parser.error(f"{args.tapehead} is no program; build it with ./dev build, or see --tapehead")
    if args.data and not os.path.isfile(args.data):
        parser.error(f"--data {args.data}: there is no such file")
    if args.json and not os.path.isdir(os.path.dirname(os.path.abspath(args.json))):
        parser.error(f"--json {args.json}: there is no such folder")
    return args


def say(text):
    """Shows the current activity on stderr if it is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class How:
    """Options for measuring steps."""

    def __init__(self, args, torch, jax, processors):
        powers = [1 << i for i in range(processors.bit_length())]
        self.threads = sorted(set(args.threads or [*powers, processors]))
        self.rounds, self.seconds, self.torch, self.jax = args.rounds, args.seconds, torch, jax
        self.compile = args.compile

    def compiled(self, config):
        by_default = self.compile == "default" and config.name in COMPILED_BY_DEFAULT
        return by_default or self.compile == "all"


def compare(args):
    here = machine.processor()
    torch, jax = machine.version_here("torch"), machine.version_here("jax")
    versions = {
        "tapehead": tapehead_version(args.tapehead),
        "torch": torch,
        "jax": jax,
        "python": platform.python_version(),
    }
    how = How(args, torch, jax, here["processors"])
    found = {"versions": versions, "processor": here, "threads": how.threads,
             "rounds": how.rounds, "seconds": how.seconds}

    print(f"Tapehead {versions['tapehead']}, ", end="")
    print(f"PyTorch {torch}" if torch else "no PyTorch here", end="")
    print(f", JAX {jax}" if jax else ", no JAX here", end="")
    print(f", Python {versions['python']}")
    print(f"{here['name']}, {here['processors']} processors: {' '.join(here['flags'])}")
    print(f"rounds over all contenders in turn: {how.rounds}; times are medians")
    if here["load"] > 0.5:
        print(f"The load was {here['load']:.1f} at the start: on a machine in use, times are noise")

    configs = [CONFIGS[name] for name in args.configs]
    others = {**({"PyTorch": Torch} if torch else {}), **({"JAX": Jax} if jax else {})}
    if others:
        say("comparing the models")
        small = [config for config in configs if config.vocabulary < 1000]
        found["same_model"] = [sections.same_model(args.tapehead, config, others)
                               for config in small]
        say("")
        if small:
            report.show_same(found["same_model"])
        if not all(f["same"] for f in found["same_model"]):
            raise Failure("the models differ, so their times can't be compared")

    records, rates = [], []
    for config in configs:
        some, more = sections.measure_steps(args.tapehead, config, args.variants, how,
                                            say)
        records, rates = records + some, rates + more
        found["steps"], found["rates"] = records, sections.median_rates(rates)
        runs.keep(args.json, found)
    say("")
    steps = report.Steps(records)
    if found["rates"]:
        report.show_rates(found["rates"])
    report.show_steps(steps)
    report.show_scaling(steps)
    report.show_memory(steps)
    report.show_noise(steps)

    def attempt(name, show, measure, *given):
        """Runs one section. If it fails, reports the error and continues with the next section."""
        say(f"{name} ...")
        try:
            found[name] = measure(*given)
            say("")
            show(found[name])
        except Failure as failure:
            found[name] = {"error": str(failure)}
            say("")
            print(f"\n{name}: failed: {failure}")
        runs.keep(args.json, found)

    if args.sections:
        attempt("growth", report.show_growth, sections.measure_growth, args.tapehead, how, say)
        attempt("decoding", report.show_decoding, sections.measure_decoding, args.tapehead, how,
                say)
    if args.data:
        threads = {who: fastest_threads(steps, who, how) for who in ("Tapehead", "PyTorch eager")}
        given = (args.tapehead, args.data, threads, args.run_rounds, torch, say)
        attempt("run", report.show_run, sections.measure_run, *given)
    attempt("start", report.show_start, sections.measure_start, args.tapehead, torch)
    if args.clean_build:
        attempt("build", report.show_build, sections.time_build, ROOT, here["processors"])


def fastest_threads(steps, contender, how):
    """Returns the number of threads for the whole run: the fastest number for `cpu` steps, or the
    largest."""
    best = steps.best("cpu", "plain", contender)
    return best["threads"] if best else how.threads[-1]


def main():
    args = arguments()
    try:
        compare(args)
    except (Failure, OSError, subprocess.SubprocessError) as error:
        say("")
        sys.exit(f"compare: {error}")
    except KeyboardInterrupt:
        say("")
        sys.exit(130)


if __name__ == "__main__":
    main()
