#!/usr/bin/env python3
"""How training scales over ranks: a model of a step's time, and measurements that check it.

    python3 bench/scaling.py table          # the model: 1 to 1,024 ranks, sizes, links
    python3 bench/scaling.py picture        # the same, as docs/studies/scaling.svg
    python3 bench/scaling.py links          # two ranks with a link between, beside the model
    python3 bench/scaling.py reduction      # the exchange beside MPI_Allreduce

`links` needs Linux and root: each rank gets a network namespace, and the link is a veth pair whose
rate tc limits, or where it is to be slow to answer, a wire of this program between two devices."""
import argparse
import fcntl
import json
import math
import os
import pathlib
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass

from settings import CONFIGS

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# ---- the model

BLOCK = 1 << 16  # elements: pieces end between blocks of the norm (optim/clip.hpp)
BACKWARD = 2 / 3  # of a shard's time: two products for each of forward
UPDATE = 0.33e-9  # seconds an element: 8 % of gpt2's 511 ms are sum, norm and AdamW
# Open MPI sends a message over TCP unasked up to so many bytes. A larger one comes in two parts,
# and from 192 KB on in three, each when the other side has answered.
EAGER, THREE_PARTS = 1 << 16, 192 << 10
MESSAGE = 5e-6  # seconds that a rank spends on a message, sent or received: assumed
# Seconds of a step on two processors, by docs/performance.md.
STEP = {"tiny": 0.00200, "cpu": 0.0101, "baby": 0.327, "gpt2": 0.511, "gpt2-short": 0.511}


@dataclass(frozen=True)
class Link:
    """What a rank can send and receive at once, bytes per second; seconds until a byte arrives."""

    rate: float
    latency: float


def link(gigabits, milliseconds):
    return Link(gigabits * 1e9 / 8, milliseconds / 1e3)


def parameters(config):
    """-> the elements of each parameter, in two lists: of matrices, which stay whole, and others"""
    width = config.width
    matrices = [3 * width**2, width**2, 4 * width**2, 4 * width**2] * config.layers
    others = [config.vocabulary * width, config.context * width, width, width]
    return matrices, others + [width, width, width, width, 3 * width, width, 4 * width,
                               width] * config.layers


def cut(config, ranks):
    """-> elements of the largest share, pieces, as parts/ranks/pieces.cpp shares them out"""
    matrices, others = parameters(config)
    total, load, pieces = sum(matrices) + sum(others), [0] * ranks, 0
    for whole in sorted(matrices, reverse=True):
        load[load.index(min(load))] += whole
        pieces += 1
    for rest in others:
        while rest > 0:
            least = load.index(min(load))
            room = min(max(total // ranks - load[least], BLOCK), 1 << 27)
            size = min(rest, room // BLOCK * BLOCK)
            load[least] += size
            rest -= size
            pieces += 1
    return max(load), pieces


def asked(config):
    """-> latencies that Open MPI adds to the largest message"""
    largest = 4 * max(parameters(config)[0])
    return 2 * (largest >= EAGER) + 2 * (largest >= THREE_PARTS)


def step(config, ranks, way, shard=None, shards=1, update=UPDATE, message=MESSAGE):
    """The seconds of a step, by part. Each rank computes so many shards, one after the other, of so
    many seconds each; gradients travel while backward goes on."""
    weights = 4 * config.parameters
    shard = STEP[config.name] - UPDATE * config.parameters if shard is None else shard
    parts = dict.fromkeys(("compute", "gradients", "weights", "answers", "messages", "update"), 0.0)
    parts["compute"] = shards * shard
    share, pieces = cut(config, ranks)
    parts["update"] = update * share
    if ranks == 1:
        return parts
    others = ranks - 1
    # The busiest rank has the largest share: what arrives for it, or what it sends for others.
    busiest = max(others * 4 * share, weights * others / ranks)
    ask = way.latency * asked(config)
    end = 0.0
    for number in range(shards):
        ready = (number + 1) * shard
        end = max(max(end, ready - BACKWARD * shard + ask) + busiest / way.rate, ready)
    parts["gradients"] = end - shards * shard
    parts["weights"] = busiest / way.rate + ask
    parts["answers"] = 4 * way.latency  # the command, gradients, the norm, weights
    own = math.ceil(pieces / ranks)
    of_shards = 2 * shards * others * (own + 1)  # a piece, and the loss
    parts["messages"] = message * (of_shards + 2 * others * (own + 1))  # weights, the norm
    return parts


def seconds(*given, **more):
    return sum(step(*given, **more).values())


def speedup(config, ranks, way):
    """How many times the tokens per second of one rank, with a batch that grows with the ranks."""
    return ranks * seconds(config, 1, way) / seconds(config, ranks, way)


SIZES = ("tiny", "cpu", "baby", "gpt2")
RANKS = [2**n for n in range(11)]
LINKS = {name: link(gigabits, 0.05) for name, gigabits in
         (("1 Gbit/s", 1), ("10 Gbit/s", 10), ("100 Gbit/s", 100))}


def table():
    for name, way in LINKS.items():
        print(f"| {name} |", " | ".join(f"{ranks:,}" for ranks in RANKS[1:]), "| most |")
        print("|---|" + "---|" * len(RANKS))
        for size in SIZES:
            gains = [speedup(CONFIGS[size], ranks, way) for ranks in RANKS]
            best = max(gains)
            at = RANKS[gains.index(best)]
            print(f"| {size} |", " | ".join(f"{gain:.3g}" for gain in gains[1:]), f"| {best:.3g} at"
                  f" {at:,} |")
        print()


# ---- the picture

COLOURS = {"tiny": "#b45309", "cpu": "#0f766e", "baby": "#1d4ed8", "gpt2": "#a21caf"}


def picture():
    size, left, top, gap = 300, 60, 60, 40
    width, height = left + 3 * (size + gap), top + size + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}">',
           "<title>Speedup over ranks, by the model, on three links</title>",
           '<style>text { font: 13px system-ui, "Segoe UI", Arial, sans-serif; fill: #1f2933 } '
           ".axis { fill: #52606d; font-size: 12px }</style>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>']
    for number, (name, way) in enumerate(LINKS.items()):
        x0, y0 = left + number * (size + gap), top + size

        def at(ranks, gain):
            y = min(max(math.log2(gain), -1.0), 10) + 1  # from half as fast on
            return f"{x0 + size * math.log2(ranks) / 10:.1f},{y0 - size * y / 11:.1f}"

        out.append(f'<text x="{x0}" y="{top - 16}" font-weight="700">{name}</text>')
        for power in range(0, 11, 2):
            x, y = at(2**power, 2**power).split(",")
            out += [f'<path d="M{x0},{y} h{size} M{x},{top} v{size}" stroke="#e4e7eb"/>',
                    f'<text class="axis" x="{x}" y="{y0 + 18}" text-anchor="middle">{2**power:,}'
                    "</text>"]
            if number == 0:
                out.append(f'<text class="axis" x="{x0 - 8}" y="{float(y) + 4:.1f}" '
                           f'text-anchor="end">{2**power:,}</text>')
        out.append(f'<path d="M{at(1, 1)} L{at(1024, 1024)}" stroke="#9aa5b1" '
                   'stroke-dasharray="4 4" fill="none"/>')
        for model in SIZES:
            points = [at(ranks, speedup(CONFIGS[model], ranks, way)) for ranks in RANKS]
            out.append(f'<path d="M{" L".join(points)}" stroke="{COLOURS[model]}" '
                       'stroke-width="2" fill="none"/>')
    out.append(f'<text class="axis" x="{width / 2}" y="{y0 + 42}" text-anchor="middle">ranks, each '
               "with a shard; upwards: tokens per second, in those of one rank</text>")
    for number, model in enumerate(SIZES):
        out.append(f'<text x="{left + 380 + 70 * number}" y="24" style="fill: {COLOURS[model]}">'
                   f"{model}</text>")
    (ROOT / "docs/studies/scaling.svg").write_text("\n".join([*out, "</svg>", ""]))


# ---- two ranks with a link between them

SETTINGS = [("baby", 10, 0.1), ("baby", 1, 1), ("baby", 0.1, 1), ("cpu", 0.1, 10), ("tiny", 1, 10)]
STEPS = 10
# The launcher calls it in place of ssh: with a host, and words for its shell.
AGENT = """#!/bin/sh
shift
exec ip netns exec th1 unshare -u sh -c "hostname th1; exec taskset -c 1 sh -c '$*'"
"""


def sh(words):
    subprocess.run(words.split(), check=True)


def device(name):
    """A network device whose packets this process reads and writes."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    without_header = 0x1001
    fcntl.ioctl(file, 0x400454CA, struct.pack("16sH22x", name.encode(), without_header))
    return file


def wire(files, way):
    """Carries packets from each end to the other, at the link's rate and after its latency."""
    free, waiting = [0.0, 0.0], [deque(), deque()]
    while True:
        now = time.monotonic()
        for end in (0, 1):
            while waiting[end] and waiting[end][0][0] <= now:
                try:
                    os.write(files[1 - end], waiting[end].popleft()[1])
                except OSError:
                    pass  # as a switch whose memory is full
        times = [queue[0][0] - now for queue in waiting if queue]
        # No more in flight than a switch would hold.
        ready = select.select([file for end, file in enumerate(files) if free[end] - now < 0.02],
                              [], [], min([0.002, *times]))[0]
        for end, file in enumerate(files):
            if file in ready:
                packet = os.read(file, 65536)
                free[end] = max(free[end], time.monotonic()) + len(packet) / way.rate
                waiting[end].append((free[end] + way.latency, packet))


def connect(way):
    """Two network namespaces with the link between. -> the process of its wire, or None"""
    disconnect()
    by_wire = way.latency > 0.0002
    mtu = 9000 if by_wire else 65000
    for end in (0, 1):
        sh(f"ip netns add th{end}")
    child = None
    if by_wire:
        files = [device(f"thlink{end}") for end in (0, 1)]
        for end in (0, 1):
            sh(f"ip link set thlink{end} netns th{end}")
        child = os.fork()
        if child == 0:
            wire(files, way)
        for file in files:
            os.close(file)
    else:
        sh(f"ip link add thlink0 netns th0 mtu {mtu} type veth peer name thlink1 netns th1"
           f" mtu {mtu}")
    for end in (0, 1):
        sh(f"ip -n th{end} addr add 10.77.0.{end + 1}/24 dev thlink{end}")
        sh(f"ip -n th{end} link set thlink{end} mtu {mtu} txqueuelen 5000 up")
        sh(f"ip -n th{end} link set lo up")
        if not by_wire:
            sh(f"tc -n th{end} qdisc add dev thlink{end} root tbf rate {way.rate * 8:.0f}bit"
               " burst 256kb latency 100ms")
    return child


def disconnect():
    for end in (0, 1):
        subprocess.run(["ip", "netns", "del", f"th{end}"], stderr=subprocess.DEVNULL)


def over(way, folder, command):
    """The words that start a command as two ranks, one at each end of the link."""
    agent = f"{folder}/agent"
    with open(agent, "w") as file:
        file.write(AGENT)
    os.chmod(agent, 0o755)
    return ["ip", "netns", "exec", "th0", "unshare", "-u", "sh", "-c",
            'hostname th0; exec taskset -c 0 "$@"', "sh", "mpirun", "-q", "--bind-to", "none", "-n",
            "2", "--host", "10.77.0.1:1,10.77.0.2:1", "--mca", "plm_rsh_agent", agent, "--mca",
            "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.0.0/24", "--mca",
            "oob_tcp_if_include", "10.77.0.0/24", *command]


def train(build, config, folder, launcher):
    """-> the median seconds of a profiled step's parts, as rank 0 sees them, and of a step; of the
    exchange of gradients the least, when this rank ended last: else it waits for the other to
    compute, too"""
    out = f"{folder}/run"
    subprocess.run(["rm", "-rf", out], check=True)
    words = [f"{build}/bin/tapehead", "train", "text", "--data", f"{ROOT}/LICENSE", "--profile",
             "--threads", "1", "--shards", "2", "--eval-every", "0", "--steps", str(STEPS),
             "--layers", str(config.layers), "--heads", str(config.heads), "--width",
             str(config.width), "--context", str(config.context), "--batch", str(config.batch)]
    subprocess.run([*launcher([*words, "--out", out])], check=True, env=ENVIRONMENT,
                   stdout=subprocess.DEVNULL)
    with open(f"{out}/trace.json") as file:
        events = json.load(file)
    events = [event for event in events["traceEvents"] if event.get("cat") == "step"]
    found = {}
    for event in events:
        name = event["name"].split()[0] if event["name"][-1].isdigit() else event["name"]
        found.setdefault(name, []).append(event["dur"] / 1e6)
    return {name: min(times) if name == "gradient exchange" else statistics.median(times)
            for name, times in found.items()}


def measured(build, folder, way, config):
    """-> the link as MPI has it, with as many bytes and as large messages as the model has: slower
    than its setting where the processors don't keep up"""
    def seconds(*words):
        done = subprocess.run(over(way, folder, [f"{build}/bench_reduction", *map(str, words)]),
                              check=True, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    times = seconds("answers", 1, 200)
    # One side is ahead of the other in turns.
    latency = statistics.median((a + b) / 2 for a, b in zip(times, times[1:]))
    # Half of the gradients, and half of the weights, go out.
    megabytes = math.ceil(4 * config.parameters / 1e6)
    both = statistics.median(seconds("exchange", megabytes, 5, max(parameters(config)[0])))
    both -= 2 * (1 + asked(config)) * latency
    return Link(min(way.rate, 1e6 * megabytes / max(both, 1e-9)), latency)


def links(build, rounds, settings):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by way of what undoes the links
    errors = []
    for name, gigabits, milliseconds in settings:
        config, way = CONFIGS[name], link(gigabits, milliseconds)
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            child = connect(way)
            try:
                for _ in range(rounds):
                    def here(words):
                        return ["taskset", "-c", "0", *words]
                    alone = train(build, config, folder, here)
                    both = train(build, config, folder, lambda words: over(way, folder, words))
                    # What a rank computes is measured in the same run: others compute here too.
                    real = measured(build, folder, way, config)
                    expected = step(config, 2, real, shard=both["shard"], shards=1,
                                    update=alone["optimizer"] / config.parameters)
                    computed = both["batch"] + sum(expected.values())
                    # Half of the sums are this rank's, and no exchange.
                    waited = both["gradient exchange"] - alone["gradient sum"] / 2
                    hidden = 1 - waited / (2 * config.parameters / real.rate + real.latency)
                    rows.append((alone["step"], both["step"], computed, computed / both["step"] - 1,
                                 waited, both["weight exchange"], hidden, real.latency,
                                 real.rate / way.rate))
                    print(f"  {name}, {gigabits:g} Gbit/s, {milliseconds:g} ms:",
                          ", ".join(f"{x:.4f}" for x in rows[-1]), file=sys.stderr, flush=True)
            finally:
                disconnect()
                if child:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
        alone, both, computed, error, gradients, weights, hidden, latency, reached = map(
            statistics.median, zip(*rows))
        errors.append(abs(error))
        print(f"| {name}, {gigabits:g} Gbit/s, {milliseconds:g} ms |"
              f" {8 * reached * way.rate / 1e9:.2g}, {1e3 * latency:.2g} | {1e3 * alone:.4g} |"
              f" {1e3 * both:.4g} | {1e3 * computed:.4g} | {100 * error:+.0f} % |"
              f" {1e3 * gradients:.3g} | {1e3 * weights:.3g} |"
              f" {100 * hidden:.0f} % |", flush=True)
    return max(errors) > 0.15


# ---- the exchange beside MPI_Allreduce

def reduction(build, rounds):
    slowest = 0
    print("| ranks | MB | exchange, ms | MPI_Allreduce, ms | times |\n|---|---|---|---|---|")
    for ranks in (2, 4):
        for megabytes in (1, 10, 100, 500):
            found = {"exchange": [], "allreduce": []}
            repeats = max(3, min(30, 300 // megabytes))
            for _ in range(rounds):
                for what, times in found.items():
                    command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-n",
                               str(ranks), f"{build}/bench_reduction", what, str(megabytes),
                               str(repeats)]
                    done = subprocess.run(command, check=True, env=ENVIRONMENT,
                                          stdout=subprocess.PIPE, text=True)
                    times.append(statistics.median(json.loads(done.stdout)))
            ours, theirs = (statistics.median(times) for times in found.values())
            slowest = max(slowest, ours / theirs)
            print(f"| {ranks} | {megabytes} | {1e3 * ours:.4g} | {1e3 * theirs:.4g} |"
                  f" {ours / theirs:.2f} |", flush=True)
    return slowest > 1.02


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "picture", "links", "reduction"])
    parser.add_argument("--rounds", type=int, default=5, help="of links and reduction [5]")
    parser.add_argument("--build", default=ROOT / "build/release", help="[build/release]")
    parser.add_argument("--settings", type=int, nargs="*", default=range(len(SETTINGS)),
                        help="of links: numbers, from 0; default: all")
    arguments = parser.parse_args()
    build, rounds = os.path.abspath(arguments.build), arguments.rounds
    if arguments.what == "links":
        return links(build, rounds, [SETTINGS[number] for number in arguments.settings])
    if arguments.what == "reduction":
        return reduction(build, rounds)
    return table() if arguments.what == "table" else picture()


if __name__ == "__main__":
    sys.exit(main())
