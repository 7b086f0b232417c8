"""Tapehead, PyTorch and JAX behind one interface: prepare, measure in rounds, report memory, close.
Each contender runs in a separate process."""
import json
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict

from settings import VARIANTS

TIMEOUT = 3600  # seconds to wait for an answer; compiling a large model takes minutes
FOLDER = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(os.path.dirname(FOLDER), "build/release/bin/tapehead")


class Failure(Exception):
    """A contender failed; the message is one line."""


def run_tapehead(command):
    """Runs a tapehead command, and returns its standard output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Failure(lines[0] if lines else f"ended with status {done.returncode}")
    return done.stdout


def add_tapehead(parser):
    parser.add_argument("--tapehead", metavar="PATH", default=BUILT, help="[build/release/bin]")


def tapehead_version(path):
    return run_tapehead([path, "--version"]).split()[1]


class Contender:
    """A program that runs training steps of a configuration, and its measurements for each case."""

    def __init__(self, config, threads):
        self.config, self.threads = config, threads
        self.times = {}  # case -> median milliseconds of each round
        self.shares = {}  # case -> fraction of the processor's peak in each round, if known
        self.megabytes = {}
        self.errors = {}

    def prepare(self, variants):
        pass

    def memory(self, variants):
        pass

    def close(self):
        pass

    def milliseconds(self, case):
        """Returns the median over the rounds of their median times, or None if a round failed."""
        known = case in self.times and case not in self.errors
        return statistics.median(self.times[case]) if known else None

    def records(self):
        for case in sorted(self.times.keys() | self.errors.keys()):
            yield {
                "config": self.config.name,
                "case": case,
                "contender": self.name,
                "threads": self.threads,
                "milliseconds": self.milliseconds(case),
                "rounds": self.times.get(case, []),
                "of_peak": statistics.median(self.shares[case]) if case in self.shares else None,
                "peak_megabytes": self.megabytes.get(case),
                "error": self.errors.get(case),
            }


class Tapehead(Contender):
    name = "Tapehead"

    def __init__(self, path, config, threads):
        super().__init__(config, threads)
        self.path = path
        self.rates = []  # peak rates of the processor, as reported by each call
        self.decoded = []  # tokens per second of generation with the KV cache

    def measure(self, variants, seconds):
        if self.errors:
            return
        command = [self.path, "bench", self.config.name, "--json", "--threads", str(self.threads)]
        command += ["--context", str(self.config.context), "--batch", str(self.config.batch)]
        # `bench` divides its --seconds among all variants; `seconds` is per variant.
        if len(variants) == 1:
            command += ["--variant", variants[0], "--seconds", str(seconds)]
        else:
            command += ["--seconds", str(seconds * len(VARIANTS))]
        try:
            report = json.loads(run_tapehead(command))
            for result in report["results"]:
                sizes = {key: result[key] for key in self.config.sizes()}
                if sizes != self.config.sizes():
                    raise Failure(f"bench's {self.config.name} has other sizes: {sizes}")
                if result["variant"] in variants:
                    self.times.setdefault(result["variant"], []).append(result["milliseconds"])
                    share = result["gflops"] / report["peak_gflops"]
                    self.shares.setdefault(result["variant"], []).append(share)
                    known = self.megabytes.get(result["variant"], 0)
                    self.megabytes[result["variant"]] = max(known, result["peak_megabytes"])
                if "decoded_per_second" in result:
                    self.decoded.append(result["decoded_per_second"])
            self.rates.append({key: report[key] for key in ("peak_gflops", "sgemm_gflops")})
            self.backend = report["backend"]
        except Failure as failure:
            self.errors = {variant: str(failure) for variant in variants}


class Worker(Contender):
    """A Python process that waits for requests."""

    cases = None  # the cases that this worker supports; None: all

    def __init__(self, config, threads, **setting):
        super().__init__(config, threads)
        self.setting = {"config": asdict(config), "threads": threads, **setting}
        self.launch()

    def launch(self):
        self.complaints = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(FOLDER, self.script), json.dumps(self.setting)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            env={**os.environ, "OMP_NUM_THREADS": str(self.threads)},
            text=True,
        )

    def ask(self, do, **given):
        try:
            self.process.stdin.write(json.dumps({"do": do, **given}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the process has ended, so reading its answer returns nothing
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            self.process.kill()
            self.process.wait()
            raise Failure(f"{do}: no answer in {TIMEOUT} s")
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"{do}: {self.why_it_ended()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def why_it_ended(self):
        status = self.process.wait()
        self.complaints.seek(0)
        lines = self.complaints.read().strip().splitlines()
        if status < 0:
            lines.append(f"ended by {signal.Signals(-status).name}")
        return lines[-1] if lines else f"ended with status {status}"

    def each(self, variants, do, **given):
        """Sends a request for each case of these variants that hasn't failed. Yields (case,
        answer)."""
        for case in dict.fromkeys(case for variant in variants for case in VARIANTS[variant]):
            if case in self.errors or case not in (self.cases or (case,)):
                continue
            try:
                yield case, self.ask(do, case=case, **given)
            except Failure as failure:
                self.errors[case] = str(failure)
                if self.process.poll() is not None:  # restart for the other cases
                    self.close()
                    self.launch()
                    self.prepare(variants)

    def prepare(self, variants):
        for _ in self.each(variants, "prepare"):
            pass

    def measure(self, variants, seconds):
        for case, answer in self.each(variants, "measure", seconds=seconds):
            self.times.setdefault(case, []).append(answer["milliseconds"])

    def memory(self, variants):
        """Measures memory. Called after all rounds, so that the profiler can't affect their
        times."""
        for case, answer in self.each(variants, "memory"):
            self.megabytes[case] = answer["megabytes"]

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.complaints.close()


class Torch(Worker):
    script = "torch_worker.py"

    def __init__(self, config, threads, compiled=False):
        self.name = "PyTorch compiled" if compiled else "PyTorch eager"
        super().__init__(config, threads, compiled=compiled)


class Jax(Worker):
    """JAX: a training step is one jit-compiled f32 function with donated parameters and moments."""

    name, script, cases = "JAX", "jax_worker.py", ("plain", "dropout")
