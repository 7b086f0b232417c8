#!/usr/bin/env python3
"""Interrupts trainings at random, by signals and kills, and resumes them until they end. Each must
have the weight hash of an uninterrupted training.

usage: tests/soak/interruptions.py COMMAND [COUNT] [SEED]
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OPTIONS = [
    "copy --dropout 0.1",
    "reverse --average 0.9 --optimizer lion --lr 0.001",
    "induction --optimizer muon --keep 1",
    "copy --optimizer sgd --accumulate 2 --csv true",
    "add --recompute true --tensorboard true --patience 3",
    "copy --dtype bf16 --threads 2",
    "reverse --arch encoder --histograms true",
    "reverse --arch encoder-decoder --freeze *mlp*",
]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


def digest_in(output):
    found = re.search(r"weight hash:\s+(.*)", output)
    return found and found[1]


def main():
    command = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    interrupted, runs, faults = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        whole = {}  # weight hash and seconds of an uninterrupted run
        while interrupted < count:
            options = draw.choice(OPTIONS).split()
            begin = [command, "train", *options, "--steps", "120", "--eval-every", "10",
                     "--layers", "1", "--width", "16", "--batch", "16"]
            if tuple(options) not in whole:
                began = time.time()
                done = subprocess.run([*begin, "--out", f"whole{len(whole)}"], capture_output=True,
                                      text=True, check=True)
                whole[tuple(options)] = digest_in(done.stdout), time.time() - began
            digest, seconds = whole[tuple(options)]
            shutil.rmtree("run", ignore_errors=True)
            runs += 1
            for attempt in range(40):
                # Killed before the first checkpoint: start again.
                resumes = os.path.lexists("run/checkpoint")
                if not resumes:
                    shutil.rmtree("run", ignore_errors=True)
                line = [command, "train", "--resume", "run"] if resumes else [*begin, "--out", "run"]
                process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True)
                try:
                    output, errors = process.communicate(timeout=draw.uniform(0, seconds * 0.7))
                except subprocess.TimeoutExpired:
                    process.send_signal(draw.choice(SIGNALS))
                    output, errors = process.communicate()
                    if process.returncode != 0:
                        interrupted += 1
                        continue
                found = digest_in(output)
                if process.returncode != 0 or found != digest:
                    faults += 1
                    print(f"{' '.join(options)}: {found} and not {digest}: {errors[-300:]}")
                break
    print(f"{interrupted} interruptions of {runs} runs, {faults} with another end")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
