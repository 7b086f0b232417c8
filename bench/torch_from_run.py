#!/usr/bin/env python3
"""Loads the weights of a run (a gpt with standard options) into a PyTorch module. Compares the
module's logits with the logits in the file from `tapehead eval RUN --predictions p.npz`. Needs
torch and safetensors."""
import argparse
import sys

import numpy
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.ModuleDict({"qkv": nn.Linear(width, 3 * width),
                                        "out": nn.Linear(width, width)})
        self.mlp = nn.ModuleDict({"in": nn.Linear(width, 4 * width),
                                  "out": nn.Linear(4 * width, width)})

    def forward(self, x):  # (batch, time, width)
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for part in self.attention["qkv"](self.attention_norm(x)).chunk(3, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.attention["out"](y)
        return x + self.mlp["out"](F.gelu(self.mlp["in"](self.mlp_norm(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, run, layers, heads):
        super().__init__()
        weights = load_file(run + "/model.safetensors")
        self.tokens = nn.Embedding(*weights["tokens.weight"].shape)
        self.positions = nn.Embedding(*weights["positions.weight"].shape)
        width = self.tokens.embedding_dim
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.load_state_dict({name.replace("gain", "weight"): x for name, x in weights.items()})

    def forward(self, ids):  # (batch, time) -> (batch, time, vocabulary)
        x = self.tokens(ids) + self.positions.weight[:ids.shape[1]]
        return self.norm(self.blocks(x)) @ self.tokens.weight.T


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="run folder")
    parser.add_argument("predictions", help="file from eval --predictions")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--heads", type=int, default=4)
    given = parser.parse_args()
    arrays = numpy.load(given.predictions)
    with torch.no_grad():
        model = GPT(given.run, given.layers, given.heads)
        logits = model(torch.tensor(arrays["inputs"]).clamp(min=0))
    known = arrays["targets"] >= 0
    apart = numpy.abs(logits.numpy() - arrays["logits"])[known].max()
    print(f"logits within {apart:.1e}")
    return 0 if apart <= 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
