"""The sections of bench/compare.py. Each returns its results as JSON data, which report.py
prints."""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace

from contenders import Failure, Jax, Tapehead, Torch, run_tapehead
from settings import CONFIGS, GROWTH, RECIPE, RUN, TARGET_LOSS


def train_tapehead(path, config, recipe, data, out, threads=1, seed=0):
    """Trains with Tapehead, and returns the lines of metrics.jsonl that have an evaluation."""
    command = [path, "train", "text", "--data", data, "--out", out]
    settings = {**config.sizes(), **recipe, "threads": threads, "seed": seed}
    del settings["vocabulary"]  # computed from the text
    for key, value in settings.items():
        command += ["--" + key.replace("_", "-"), str(value)]
    run_tapehead(command)
    with open(os.path.join(out, "metrics.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    return [line for line in lines if "val_loss" in line]


def same_model(path, config, others):
    """Checks that all contenders compute the same model. Tapehead trains the model for some steps
    on a text. PyTorch and JAX, if installed, must load exactly these weights and compute the same
    validation loss."""
    recipe = {**RECIPE, "steps": 5, "lr": 1e-2, "warmup": 0, "eval_every": 5}
    draw = random.Random(0)
    alphabet = [chr(0x100 + i) for i in range(config.vocabulary)]
    text = alphabet + draw.choices(alphabet[: config.vocabulary // 2], k=20 * config.context)
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "text"), os.path.join(folder, "run")
        with open(data, "w", encoding="utf-8") as file:
            file.write("".join(text))
        ours = train_tapehead(path, config, recipe, data, out)[-1]["val_loss"]
        theirs = {}
        for who, kind in others.items():
            worker = kind(config, threads=1)
            try:
                weights = os.path.join(out, "model.safetensors")
                theirs[who] = worker.ask("evaluate", path=data, weights=weights)["val_loss"]
            finally:
                worker.close()
    found = {"config": config.name, "parameters": config.parameters, "Tapehead": ours, **theirs}
    return {**found, "same": all(abs(ours - loss) < 1e-4 * ours for loss in theirs.values())}


def measure_steps(path, config, variants, how, say):
    """Measures steps of all contenders in turn, in several rounds. `how` has the options. Returns
    the records of the contenders, and the processor's peak rates."""
    contenders = [Tapehead(path, config, threads) for threads in how.threads]
    tapeheads = list(contenders)
    try:
        if how.torch:
            for compiled in (False, True) if how.compiled(config) else (False,):
                contenders += [Torch(config, threads, compiled) for threads in how.threads]
        if how.jax:
            contenders += [Jax(config, threads) for threads in how.threads]
        for contender in contenders:
            say(f"{config.name}: {contender.name}, {contender.threads} threads, gets ready")
            contender.prepare(variants)
        for number in range(how.rounds):
            for contender in contenders:
                say(
                    f"{config.name}: round {number + 1} of {how.rounds}, {contender.name}, "
                    f"{contender.threads} threads"
                )
                contender.measure(variants, how.seconds)
        for contender in contenders:
            contender.memory(variants)
        records = [record for contender in contenders for record in contender.records()]
        rates = [
            {"threads": contender.threads, "backend": contender.backend, **rate}
            for contender in tapeheads
            for rate in contender.rates
        ]
        return records, rates
    finally:
        for contender in contenders:
            contender.close()


def measure_growth(path, how, say):
    """Measures steps for growing contexts (fewer, longer sequences, and always as many tokens), on
    the largest number of threads. Returns a record for each context and contender."""
    most, records = how.threads[-1], []
    for config in GROWTH:
        contenders = [Tapehead(path, config, most)]
        try:
            if how.torch:
                contenders.append(Torch(config, most))
            for number in range(how.rounds):
                for contender in contenders:
                    say(f"context {config.context}: round {number + 1}, {contender.name}")
                    if number == 0:
                        contender.prepare(["plain"])
                    contender.measure(["plain"], how.seconds)
            for contender in contenders:
                contender.memory(["plain"])
                found = [{**record, "context": config.context} for record in contender.records()]
                records += found
        finally:
            for contender in contenders:
                contender.close()
    return records


def measure_decoding(path, how, say):
    """Measures generation of a single sequence on one thread, in tokens per second. Tapehead has a
    KV cache; PyTorch runs a loop that reads the whole context again for each token. Returns a
    record for each configuration."""
    records = []
    for name in ("tiny", "cpu"):
        config = CONFIGS[name]
        ours = Tapehead(path, config, 1)
        theirs = Torch(config, 1) if how.torch else None
        rates = []
        try:
            for number in range(how.rounds):
                say(f"generation, {name}: round {number + 1} of {how.rounds}")
                ours.measure(["plain"], how.seconds)
                if ours.errors:
                    raise Failure(next(iter(ours.errors.values())))
                if theirs:
                    rates.append(theirs.ask("decode", seconds=how.seconds)["tokens_per_second"])
        finally:
            if theirs:
                theirs.close()
        found = {"config": name, "Tapehead": statistics.median(ours.decoded)}
        records.append({**found, "PyTorch": statistics.median(rates) if rates else None})
    return records


def median_rates(rates):
    """Returns, for each number of threads, the median over all calls of the processor's peak
    rates."""
    result = []
    for threads in sorted({rate["threads"] for rate in rates}):
        some = [rate for rate in rates if rate["threads"] == threads]
        medians = {
            key: statistics.median(rate[key] for rate in some)
            for key in ("peak_gflops", "sgemm_gflops")
        }
        result.append({"threads": threads, "backend": some[0]["backend"], **medians})
    return result


def until_target(evaluations):
    """Returns the seconds and the step of the first evaluation that reached the target loss, or
    None."""
    for evaluation in evaluations:
        if evaluation["val_loss"] <= TARGET_LOSS:
            return {"seconds": evaluation["seconds"], "step": evaluation["step"]}
    return None


def measure_run(path, data, threads, rounds, with_torch, say):
    """Measures whole runs; each round has another seed. threads: the numbers of threads of
    "Tapehead" and "PyTorch eager". Returns records of the runs, and the loss that PyTorch computes
    for the weights of Tapehead's first run."""
    with open(data, "rb") as file:
        try:
            config = replace(RUN, vocabulary=len(set(file.read().decode("utf-8"))))
        except UnicodeDecodeError as error:
            raise Failure(f"{data}: not UTF-8 at byte {error.start}") from error
    records, check = [], None
    worker = Torch(config, threads["PyTorch eager"]) if with_torch else None

    def note(contender, seed, evaluations):
        reached = until_target(evaluations)
        records.append({"contender": contender, "threads": threads[contender], "seed": seed,
                        "reached": reached, "evaluations": evaluations})

    try:
        for seed in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, "run")
                say(f"run: round {seed + 1} of {rounds}, Tapehead")
                lines = train_tapehead(path, config, RECIPE, data, out, threads["Tapehead"], seed)
                seen = [{"step": line["step"], "seconds": line["time"]["seconds"],
                         "val_loss": line["val_loss"]} for line in lines]
                note("Tapehead", seed, seen)
                if not worker:
                    continue
                say(f"run: round {seed + 1} of {rounds}, PyTorch")
                found = worker.ask("train", recipe=RECIPE, path=data, seed=seed)["evaluations"]
                note("PyTorch eager", seed, found)
                if check is None:
                    weights = os.path.join(out, "model.safetensors")
                    theirs = worker.ask("evaluate", path=data, weights=weights)["val_loss"]
                    check = {"Tapehead": seen[-1]["val_loss"], "PyTorch": theirs}
    finally:
        if worker:
            worker.close()
    return {"target": TARGET_LOSS, "recipe": RECIPE, "runs": records, "same_weights": check}


def wall_clock(command, times):
    """Returns the median wall-clock time of a command in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def measure_start(path, with_torch):
    found = {"tapehead_seconds": wall_clock([path, "--version"], 20)}
    found["tapehead_megabytes"] = 1e-6 * os.path.getsize(path)
    if with_torch:
        found["torch_seconds"] = wall_clock([sys.executable, "-c", "import torch"], 3)
    return found


def time_build(root, jobs):
    """Returns the seconds to configure CMake and build the library and the command without
    ccache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CCACHE_DISABLE": "1"}
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DTAPEHEAD_TESTS=OFF"]
        start = time.perf_counter()
        for command in (
            ["cmake", "-G", "Ninja", "-S", root, "-B", folder, *options],
            ["cmake", "--build", folder, "-j", str(jobs), "--target", "tapehead-cli"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            if done.returncode != 0:
                lines = (done.stderr or done.stdout).strip().splitlines()
                raise Failure(f"{command[0]} {command[1]}: {lines[-1] if lines else 'failed'}")
        return {"seconds": time.perf_counter() - start, "jobs": jobs}
