#!/usr/bin/env python3
"""Compares `inspect curvature` with PyTorch on a model of 10,000 parameters. Computes the largest
eigenvalues with ARPACK and PyTorch's Hessian-vector products, and traces with other random vectors.
Needs torch, safetensors and scipy. Takes half a minute."""
import argparse
import json
import os
import sys
import tempfile

import numpy
import torch
from scipy.sparse.linalg import LinearOperator, eigsh
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import cross_entropy

import torch_from_run
from contenders import run_tapehead

LAYERS, HEADS, WIDTH, EXAMPLES, TOP, VECTORS = 1, 4, 28, 64, 5, 100
TRAINING = ["copy", "--length", "6", "--symbols", "8", "--layers", LAYERS, "--heads", HEADS,
            "--width", WIDTH, "--dtype", "f64", "--steps", 60]


def hessian(model, inputs, targets):
    """Returns the function v -> H v, where H is the Hessian of the mean loss."""
    parameters = list(model.parameters())
    with sdpa_kernel(SDPBackend.MATH):  # the only backend with second derivatives
        loss = cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=-1)
        gradient = torch.cat([g.flatten() for g in
                              torch.autograd.grad(loss, parameters, create_graph=True)])

    def product(v):
        rows = torch.autograd.grad(gradient, parameters, torch.from_numpy(v.ravel()),
                                   retain_graph=True, materialize_grads=True)
        return torch.cat([row.flatten() for row in rows]).numpy()

    return product


def largest(product, places, count, size):
    """Returns the largest eigenvalues of the Hessian's diagonal block of these rows, in descending
    order."""

    def within(v):
        whole = numpy.zeros(size)
        whole[places] = v.ravel()
        return product(whole)[places]

    block = LinearOperator((len(places), len(places)), within, dtype=numpy.float64)
    values = eigsh(block, count, which="LA", ncv=80, tol=1e-8, return_eigenvectors=False)
    return sorted(values, reverse=True)


def block_of(name):
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "blocks" else parts[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tapehead", default="build/release/bin/tapehead")
    given = parser.parse_args()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)  # several threads would be slower
    with tempfile.TemporaryDirectory() as scratch:
        run, predictions = os.path.join(scratch, "run"), os.path.join(scratch, "p.npz")
        program = os.path.abspath(given.tapehead)
        run_tapehead([program, "train", *map(str, TRAINING), "--out", run])
        run_tapehead([program, "eval", run, "--examples", str(EXAMPLES), "--predictions",
                      predictions])
        ours = json.loads(run_tapehead([program, "inspect", "curvature", run, "--top", str(TOP),
                                        "--examples", str(EXAMPLES), "--json"]))
        arrays = numpy.load(predictions)
        model = torch_from_run.GPT(run, LAYERS, HEADS)
    product = hessian(model, torch.tensor(arrays["inputs"]).long(),
                      torch.tensor(arrays["targets"]).long())
    names = numpy.array([block_of(name) for name, p in model.named_parameters()
                         for _ in range(p.numel())])
    draw = numpy.random.default_rng(1)
    signs = [draw.choice([-1.0, 1.0], len(names)) for _ in range(VECTORS)]
    along = numpy.array([v * product(v) for v in signs])

    worst = 0
    print(f"{'block':10}{'':>10}{'tapehead':>20}{'PyTorch':>20}{'apart':>9}")
    for row in ours["tables"][0]["rows"]:
        whole = row["block"] == "all"
        places = numpy.flatnonzero(names == row["block"]) if not whole else range(len(names))
        found = [row["sharpness"]]
        if whole:
            found = [each["eigenvalue"] for each in ours["tables"][1]["rows"]]
        for value, theirs in zip(found, largest(product, places, len(found), len(names))):
            apart = abs(value / theirs - 1)
            worst = max(worst, apart)
            print(f"{row['block']:10}{'largest':>10}{value:20.8g}{theirs:20.8g}{apart:9.0e}",
                  flush=True)
        traces = along[:, places].sum(1)
        theirs, error = traces.mean(), traces.std() / VECTORS**0.5
        apart = abs(row["trace"] - theirs) / numpy.hypot(error, row["±"])
        print(f"{row['block']:10}{'trace':>10}{row['trace']:12.4g} ±{row['±']:6.2g}"
              f"{theirs:12.4g} ±{error:6.2g}{apart:7.1f} ±", flush=True)
    print(f"{len(names):,} parameters; eigenvalues within {worst:.0e}")
    return 0 if worst < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
