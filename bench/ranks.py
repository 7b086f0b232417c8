"""Checks that training over MPI is bitwise identical to training in one process, even if ranks
fail.

    python3 bench/ranks.py digests          # 1, 2, 3, 4, 8 ranks x 1, 2 threads, six trainings
    python3 bench/ranks.py kills --times 30 # runs killed at random and resumed by others
    python3 bench/ranks.py faults           # a rank that is killed, stopped, or can't write

The exit status is 1 if something differs. Use more ranks than processors only for `digests`.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAPEHEAD = ROOT / "build/release/bin/tapehead"
SMALL = "--layers 2 --width 32 --steps 24 --eval-every 8 --batch 16 --shards 8"
TRAININGS = {
    "adamw": f"copy --length 6 --symbols 8 {SMALL}",
    "muon": f"reverse --length 6 --symbols 8 {SMALL} --optimizer muon",
    "dropout": f"copy --length 6 --symbols 8 {SMALL} --dropout 0.2 --dtype f64",
    "accumulate": f"text --data LICENSE --context 24 {SMALL} --accumulate 2 --wire bf16",
    "average": f"text --data LICENSE --context 24 {SMALL} --average 0.9 --clip 0.1 --tokens bpe"
               " --vocabulary 600 --width 128",
    "translate": f"translate --arch encoder-decoder {SMALL} --optimizer lion",
}
# Without these options, mpirun refuses to run as root or with more ranks than processors.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def command(ranks, words, quiet=True):
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    if quiet:
        launcher.insert(1, "-q")
    return (launcher if ranks > 0 else []) + [str(TAPEHEAD), "train", *words]


def begin(ranks, words, quiet=True):
    return subprocess.Popen(command(ranks, words, quiet), cwd=ROOT, env=ENVIRONMENT, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            start_new_session=True)


def train(ranks, words):
    process = begin(ranks, words)
    errors = process.communicate()[1]
    if process.returncode != 0:
        sys.exit(f"{' '.join(command(ranks, words))}: {errors.strip()}")


def digest(run):
    return subprocess.run([TAPEHEAD, "digest", run], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()[0]


def children(process):
    """Returns {rank: process id} of the ranks that a launcher started."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            is_rank = os.getsid(int(entry.name)) == process.pid and b"tapehead" in (
                entry / "comm").read_bytes()
        except OSError:
            continue
        for variable in variables:
            if is_rank and variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(entry.name)
    return found


def digests(folder):
    counts = (1, 2, 3, 4, 8)
    print(f"{'':12}{'one process':18}", *(f"{n} x 1, 2{'':11}" for n in counts))
    differ = 0
    for name, words in TRAININGS.items():
        def run(ranks, threads):
            out = f"{folder}/{name}-{ranks}-{threads}"
            train(ranks, [*words.split(), "--threads", str(threads), "--out", out])
            return digest(out)
        first = run(0, 1)
        row = [{run(ranks, threads) for threads in (1, 2)} for ranks in counts]
        same = all(found == {first} for found in row)
        differ += not same
        print(f"{name:12}{first:18}", *("/".join(sorted(found)).ljust(20) for found in row),
              "" if same else "differ", flush=True)
    return differ


def kills(folder, times):
    """Kills runs of each training once or twice at random times, and resumes them with another
    number of ranks."""
    differ = 0
    for number in range(times):
        name, words = list(TRAININGS.items())[number % len(TRAININGS)]
        words = words.replace("--steps 24", "--steps 400")
        reference, out = f"{folder}/{name}", f"{folder}/killed-{number}"
        if not os.path.exists(reference):
            train(0, [*words.split(), "--out", reference])
        events, killed = [], 0
        given = [*words.split(), "--out", out]
        while True:
            ranks = random.choice((1, 2, 3, 4))
            process = begin(ranks, given)
            until = time.monotonic() + (random.uniform(0.7, 4) if killed < 2 else 600)
            while process.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            victims = children(process)
            if process.poll() is not None or not victims:
                errors = process.communicate()[1]
                if process.returncode != 0:
                    sys.exit(f"{' '.join(given)}: {errors}")
                break
            victim = random.choice(list(victims))
            os.kill(victims[victim], signal.SIGKILL)
            process.communicate()
            killed += 1
            events.append(f"rank {victim} of {ranks}")
            if os.path.exists(f"{out}/checkpoint"):
                given = ["--resume", out]
            else:
                subprocess.run(["rm", "-rf", out], check=True)
        same = digest(out) == digest(reference)
        differ += not same
        print(f"{number + 1}: {name}, killed {', then '.join(events) or 'too late'}; ended by {ranks}:"
              f" {'same' if same else 'DIFFERS'}", flush=True)
    return differ


def faults(folder):
    long = TRAININGS["adamw"].replace("--steps 24", "--steps 1000000").split()
    failed = 0
    for what in ("killed", "stopped", "terminated"):
        out = f"{folder}/{what}"
        # If a rank is killed, doesn't silence mpirun, whose report is then the only error message.
        process = begin(3, [*long, "--eval-every", "20", "--out", out], what != "killed")
        while not os.path.exists(f"{out}/checkpoint"):
            time.sleep(0.1)
        ranks = children(process)
        how = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP, "terminated": signal.SIGTERM}
        began = time.monotonic()
        os.kill(ranks[1], how[what])
        errors = "\n".join(line for line in process.communicate()[1].splitlines()
                           if "rank" in line)
        seconds = time.monotonic() - began
        left = [rank for rank in children(process)]
        failed += seconds > 10 or bool(left)
        print(f"rank 1 {what}: ended in {seconds:.1f} s with status {process.returncode}\n  "
              + errors.replace("\n", "\n  "), flush=True)
    return failed + full_disk(folder, long)


def full_disk(folder, words):
    """Mounts a file system of 400 kB; needs root."""
    disk = f"{folder}/disk"
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", disk]).returncode != 0:
        print("a full disk: not tried, since nothing can be mounted here")
        return 0
    try:
        process = begin(3, [*words, "--eval-every", "20", "--keep", "100", "--out", f"{disk}/x"])
        began = time.monotonic()
        errors = process.communicate()[1].strip()
        print(f"the disk is full: ended {time.monotonic() - began:.1f} s after the start, with status"
              f" {process.returncode}\n  " + errors.replace("\n", "\n  "))
        return process.returncode == 0 or "No space left" not in errors
    finally:
        subprocess.run(["umount", disk], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["digests", "kills", "faults"])
    parser.add_argument("--times", type=int, default=30, help="number of kills [30]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the kills [0]")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        return {"digests": lambda: digests(folder), "kills": lambda: kills(folder, arguments.times),
                "faults": lambda: faults(folder)}[arguments.what]() > 0


if __name__ == "__main__":
    sys.exit(main())
