"""Compares path patching with an independent implementation in PyTorch, for 200 random edges."""
import math

import numpy as np
import pytest

import tapehead

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")

CLEAN, CORRUPTED = "3 1 4 1 5", "2 7 1 8 2"
# The options of each run, and the largest difference: rounding of f32, or of f64.
RUNS = {"gpt": ({"dtype": "f32"}, 1e-5), "gpt in f64": ({"tied_head": False, "dtype": "f64"}, 1e-11),
        "encoder": ({"arch": "encoder", "norm": "rms", "mlp": "relu", "dtype": "f64"}, 1e-11),
        "without norms": ({"norm": "none", "kv_heads": 2, "dtype": "f64"}, 1e-11)}


class Model:
    """The residual stream as a dict of the outputs of all components."""

    def __init__(self, run):
        self.w = {name: x.double() for name, x in
                  safetensors_torch.load_file(run.path + "/model.safetensors").items()}
        self.config = run.config
        self.heads, self.layers = run.config["heads"], run.config["layers"]
        self.kv_heads = run.config["kv-heads"] or self.heads
        self.causal = run.config["arch"] == "gpt"

    def norm(self, name, x):
        if self.config["norm"] == "none":
            return x
        if self.config["norm"] == "rms":
            return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5)
        gain = self.w[name + ".gain"]
        return torch.nn.functional.layer_norm(x, gain.shape, gain, self.w[name + ".bias"])

    def linear(self, name, x, rows=slice(None)):
        return x @ self.w[name + ".weight"][rows].T + self.w[name + ".bias"][rows]

    def head(self, layer, head, q, k, v):
        name, width = f"blocks.{layer}.attention", self.w["tokens.weight"].shape[1] // self.heads
        shared = head // (self.heads // self.kv_heads)
        keys = self.heads * width
        values = keys + self.kv_heads * width

        def project(x, first):
            return self.linear(name + ".qkv", self.norm(f"blocks.{layer}.attention_norm", x),
                               slice(first, first + width))
        q, k, v = (project(q, head * width), project(k, keys + shared * width),
                   project(v, values + shared * width))
        scores = q @ k.T / math.sqrt(width)
        if self.causal:
            hidden = torch.ones_like(scores).triu(1).bool()
            scores = scores.masked_fill(hidden, -math.inf)
        columns = slice(head * width, (head + 1) * width)
        return scores.softmax(-1) @ v @ self.w[name + ".out.weight"][:, columns].T

    def mlp(self, layer, x):
        x = self.linear(f"blocks.{layer}.mlp.in", self.norm(f"blocks.{layer}.mlp_norm", x))
        x = (torch.relu(x) if self.config["mlp"] == "relu"
             else torch.nn.functional.gelu(x, approximate="tanh"))
        return self.linear(f"blocks.{layer}.mlp.out", x)

    def run(self, ids, patched=None, value=None):
        """Returns the outputs by component. `patched` is an edge (writer, reader, input), which
        carries `value`."""
        outputs = {"embedding": self.w["tokens.weight"][ids] + self.w["positions.weight"][:len(ids)]}

        def read(reader, part=""):
            return sum(value if (name, reader, part) == patched else x
                       for name, x in seen.items())
        for layer in range(self.layers):
            seen = dict(outputs)
            for head in range(self.heads):
                name = f"head {layer}.{head}"
                outputs[name] = self.head(layer, head, *(read(name, part)
                                                         for part in ("query", "key", "value")))
            outputs[f"bias {layer}"] = self.w[f"blocks.{layer}.attention.out.bias"]
            seen = dict(outputs)
            outputs[f"mlp {layer}"] = self.mlp(layer, read(f"mlp {layer}"))
        seen = dict(outputs)
        x = self.norm("norm", read("logits"))
        if "head.weight" in self.w:
            outputs["logits"] = x @ self.w["head.weight"].T + self.w.get("head.bias", 0)
        else:
            outputs["logits"] = x @ self.w["tokens.weight"].T
        return outputs


@pytest.mark.parametrize("name", RUNS)
def test_path_patching_agrees_on_random_edges(tmp_path, name):
    options, tolerance = RUNS[name]
    task = "reverse" if "arch" in options else "copy"
    run = tapehead.train(task, length=5, layers=3, width=16, heads=4, steps=30, init_std=0.2,
                         out=tmp_path / "run", **options)
    model = Model(run)
    prompts = [run.parse(text) for text in (CLEAN, CORRUPTED)]
    answers = prompts if task == "copy" else [ids[::-1] for ids in prompts]
    if task == "copy":  # the model reads the prompt, and predicts the first token of the copy
        texts = [f"{text} {text}" for text in (CLEAN, CORRUPTED)]
        inputs, answers = prompts, [ids[:1] for ids in prompts]
        positions = [len(prompts[0]) - 1]
    else:
        texts, inputs = [CLEAN, CORRUPTED], prompts
        positions = range(5)
    found = run.path_patch(clean=texts[0], corrupted=texts[1], top=0)
    if task == "reverse":  # the answers are the model's own
        answers = [run.logits(text).numpy()[0].argmax(-1).tolist() for text in texts]
    clean, corrupted = (torch.tensor(ids) for ids in inputs)
    targets = [(t, a, b) for t, a, b in zip(positions, *answers) if a != b]

    def metric(logits):
        return sum(float(logits[t, a] - logits[t, b]) for t, a, b in targets) / len(targets)
    with torch.no_grad():
        other, whole = model.run(corrupted), metric(model.run(clean)["logits"])
        assert abs(whole - found.numbers["whole"]) < tolerance * 10
        assert abs(metric(other["logits"]) - found.numbers["none"]) < tolerance * 10
        count = len(found.edges["score"])
        assert count == 262
        for e in np.random.default_rng(1).permutation(count)[:200]:
            edge = tuple(str(found.edges[part][e]) for part in ("from", "to", "input"))
            theirs = metric(model.run(clean, edge, other[edge[0]])["logits"]) - whole
            assert abs(theirs - found.edges["score"][e]) < tolerance, edge
