"""Tapehead from Python: tensors and ops on a tape, gradient checks, and runs. See parts/python/python.md.

Every op of `tapehead ops` is a function here, with the arguments that `tapehead explain` takes.
"""
from ._core import (MLP, Attention, AttentionMap, Embedding, GradcheckResult, Gradients,
                    LayerNorm, Linear, Maps, Module, Optimizer, Page, Run, Tape, Tensor,
                    from_dlpack, load, tensor)
from ._modules import GPT, SGD, AdamW, Lion, Muon, Sequential
from ._ops import *
from ._own_ops import gradcheck, op
from ._runs import explain, train
from ._shared import Sample

__all__ = [
    "MLP", "Attention", "AttentionMap", "Embedding", "GradcheckResult", "Gradients",
    "LayerNorm", "Linear", "Maps", "Module", "Optimizer", "Page", "Run", "Tape", "Tensor",
    "from_dlpack", "load", "tensor", "GPT", "SGD", "AdamW", "Lion", "Muon", "Sequential",
    "gradcheck", "op", "explain", "train", "Sample", *_ops.__all__]
