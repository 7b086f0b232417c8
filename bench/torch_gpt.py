"""GPT-2 and its training step in PyTorch, written with PyTorch's fastest functions."""
import json
import struct

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x):  # (batch, time, width) -> the same shape
        batch, time, width = x.shape
        q, k, v = (
            part.view(batch, time, self.heads, -1).transpose(1, 2)  # (batch, heads, time, d)
            for part in self.qkv(self.attention_norm(x)).split(width, dim=2)
        )
        p = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        y = self.out(y.transpose(1, 2).reshape(batch, time, width))
        x = x + F.dropout(y, self.dropout, self.training)
        return x + F.dropout(self.mlp(self.mlp_norm(x)), self.dropout, self.training)


class GPT(nn.Module):
    """GPT-2 with learned positions, pre-norm blocks and weight tying."""

    def __init__(self, config, dropout=0.0):
        super().__init__()
        self.dropout = dropout
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(
            Block(config.width, config.heads, dropout) for _ in range(config.layers)
        )
        self.norm = nn.LayerNorm(config.width)
        for name, parameter in self.named_parameters():
            into_stream = name.endswith(("out.weight", "mlp.2.weight"))
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02 / (2 * config.layers) ** (into_stream / 2))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
        count = sum(parameter.numel() for parameter in self.parameters())
        assert count == config.parameters, f"{count} parameters, not {config.parameters}"

    def logits(self, ids):  # (batch, time) -> (batch, time, vocabulary)
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        x = F.dropout(x, self.dropout, self.training)  # (batch, time, width)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)

    def forward(self, ids, targets):  # both (batch, time) -> mean loss
        return F.cross_entropy(self.logits(ids).flatten(0, 1), targets.flatten())


def adamw(model, lr=1e-3, betas=(0.9, 0.999), weight_decay=0.01):
    """Makes AdamW with weight decay for matrices only, not for biases and norms."""
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    groups = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr, betas, weight_decay=weight_decay, fused=True)


def training_step(model, optimizer, ids, targets, clip=1.0):
    """Runs forward, backward, gradient clipping and the optimizer. Returns the loss."""
    optimizer.zero_grad(set_to_none=True)
    loss = model(ids, targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip, foreach=True)
    optimizer.step()
    return loss.item()


def load_tapehead(model, path):
    """Loads the weights from a model.safetensors of Tapehead. The tensor names must match
    exactly."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    weights = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = torch.frombuffer(data[begin:end], dtype=torch.float32).view(entry["shape"])
        for ours, theirs in (
            (".gain", ".weight"),
            ("attention.qkv", "qkv"),
            ("attention.out", "out"),
            ("mlp.in", "mlp.0"),
            ("mlp.out", "mlp.2"),
        ):
            name = name.replace(ours, theirs)
        weights[name] = values
    model.load_state_dict(weights, strict=True)
