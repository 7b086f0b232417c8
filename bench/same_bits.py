"""Runs the seven small trainings of tests/golden/digests with several binaries, and compares their
weight hashes (digests).

    python3 bench/same_bits.py --run 'TAPEHEAD_ISA=v3 build/release/bin/tapehead' \
        --run 'qemu-aarch64-static build/arm64/bin/tapehead'

--run takes a shell command, which may begin with environment variables. The table has a row for
each training and a column for each --run; the last column has the digests recorded in the file. The
exit status is 1 if the digests of a row differ. A Release build always compiles numerical code with
-O3. For another optimization level, build with CMAKE_BUILD_TYPE=RelWithDebInfo and -O1 in
CMAKE_CXX_FLAGS_RELWITHDEBINFO. --write records the digests of the first --run in the file instead. It refuses to
change a digest unless `numerics` in core/numerics.hpp has been increased.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "tests/golden/digests"


def trainings():
    """Returns (name, recorded digest, options) of each training."""
    lines = FILE.read_text().splitlines()
    return [line.split(maxsplit=2) for line in lines if not line.startswith(("#", "numerics "))]


def digest(run, options):
    with tempfile.TemporaryDirectory() as folder:
        def tapehead(words):
            done = subprocess.run(f"{run} {words}", shell=True, cwd=ROOT, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode != 0:
                sys.exit(f"{run} {words}: {done.stderr.strip()}")
            return done.stdout
        tapehead(f"train {options} --out {folder}/run")
        return json.loads(tapehead(f"digest {folder}/run --json"))["digest"]


def number(text, pattern):
    return int(re.search(pattern, text, re.MULTILINE)[1])


def write(digests):
    text = FILE.read_text()
    before = number(text, r"^numerics (\d+)$")
    now = number((ROOT / "core/numerics.hpp").read_text(), r"int numerics = (\d+);")
    for (name, recorded, _), found in zip(trainings(), digests):
        if found != recorded and now == before:
            sys.exit(f"{name} has {found}, and {recorded} is recorded for numerics {now}; increase "
                     "`numerics` in core/numerics.hpp and describe the change in CHANGELOG.md")
        text = text.replace(f"{name} {recorded} ", f"{name} {found} ")
    FILE.write_text(text.replace(f"\nnumerics {before}\n", f"\nnumerics {now}\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="append", metavar="COMMAND",
                        help="command of a binary, with its environment [build/release/bin/tapehead]")
    parser.add_argument("--write", action="store_true",
                        help="record the digests of the first run in tests/golden/digests")
    arguments = parser.parse_args()
    runs = arguments.run or ["build/release/bin/tapehead"]
    for number, run in enumerate(runs, 1):
        print(f"{number}: {run}")
    print(f"{'':12}", *(f"{number:<17}" for number in range(1, len(runs) + 1)),
          "" if arguments.write else "recorded")
    first, differ = [], 0
    for name, recorded, options in trainings():
        row = [digest(run, options) for run in runs]
        first.append(row[0])
        if not arguments.write:
            row.append(recorded)
        differs = len(set(row)) > 1
        differ += differs
        print(f"{name:12}", *(f"{found:<17}" for found in row),
              "differ" if differs else "", flush=True)
    if arguments.write:
        write(first)
    print("equal" if not differ else f"{differ} of {len(first)} rows differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
