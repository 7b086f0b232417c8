#!/usr/bin/env python3
"""Compares the logits of ONNX Runtime, for models from `tapehead export --format onnx`, with the
logits of `tapehead eval --predictions` for the same runs, for several batch sizes. Needs onnx and
onnxruntime. Prints a line for each model, and fails if a logit differs by more than 1e-4."""
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAPEHEAD = os.path.join(ROOT, "build/release/bin/tapehead")
LARGEST = 1e-4  # largest allowed difference of two logits

# Arguments of `train` for each model; the trainings are short.
MODELS = [
    "copy", "copy --norm rms --mlp swiglu", "copy --norm none --mlp relu2", "copy --mlp none",
    "copy --mlp gelu-erf --biases false", "copy --tied-head false --window 4",
    "copy --position sinusoidal", "copy --position rotary", "copy --position alibi",
    "copy --position rotary --kv-heads 1", "copy --position relative", "copy --position t5",
    "copy --qk-norm true --heads 4", "copy --heads 1 --attention-temperature layer",
    "copy --attention-temperature qkv", "copy --attention-temperature lsa",
    "copy --attention differential", "copy --attention sinks", "copy --attention gated-heads",
    "copy --attention linear", "copy --attention linear --length 80", "copy --attention latent",
    "copy --attention lstm", "copy --attention gla", "copy --attention mamba2",
    "copy --attention gated-deltanet --length 40",
    "copy --attention latent --position rotary", "copy --attention switchhead",
    "copy --attention switchhead --position rotary", "copy --width 1 --heads 1",
    "copy --recompute true --dtype f64", "copy --zero-out true", "copy --residual false",
    "reverse --arch encoder --layers 2", "reverse --arch encoder --position relative",
    "majority --arch encoder", "reverse --arch encoder-decoder --layers 2",
    "reverse --arch encoder-decoder --position rotary --heads 2",
    "reverse --arch encoder-decoder --position t5 --qk-norm true", "shapes", "shapes --arch encoder",
    f"text --data {ROOT}/README.md --tokens bpe --layers 4 --context 128",
]


def tapehead(*words):
    return subprocess.run([TAPEHEAD, *words], capture_output=True, text=True)


def train_and_export(words, folder):
    """Trains and exports a model. Returns the path of the run, and the error of the export, if
    any."""
    run = os.path.join(folder, "run")
    width = [] if "--width" in words else ["--width", "32"]
    for command in (["train", *words.split(), *width, "--steps", "20", "--out", run],
                    ["export", run, "--format", "onnx", run + ".onnx"]):
        done = tapehead(*command)
        if done.returncode != 0 and command[0] == "train":
            sys.exit(f"tapehead {' '.join(command)}: {done.stderr}")
    return run, done.stderr.strip()


def compare(words, folder):
    run, fault = train_and_export(words, folder)
    if fault:
        print(f"{words}: {fault}")
        return False
    onnx.checker.check_model(onnx.load(run + ".onnx"), full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(run + ".onnx", options)
    tapehead("eval", run, "--examples", "8", "--predictions", run + ".npz")
    ours = numpy.load(run + ".npz")
    ids, known = ours["inputs"], ours["targets"] >= 0
    time = session.get_inputs()[0].shape[1]
    ids = numpy.pad(ids, ((0, 0), (0, time - ids.shape[1])))  # at the end, where no token sees it
    apart = 0
    for first, end in ((0, 1), (1, 4), (0, 8)):
        theirs = session.run(["logits"], {"tokens": ids[first:end]})[0]
        if theirs.ndim == 3:
            theirs = theirs[:, :known.shape[1]]
        differences = numpy.abs(theirs - ours["logits"][first:end])[known[first:end]]
        apart = max(apart, differences.max())
    print(f"{apart:.1e} · {os.path.getsize(run + '.onnx'):>8,} bytes · {words}", flush=True)
    return apart <= LARGEST


def main():
    print(f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")
    right = True
    for words in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            right &= compare(words, folder)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
