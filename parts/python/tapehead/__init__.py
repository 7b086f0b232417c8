"""Tapehead from Python: tensors and ops on a tape, derivatives, gradient checks, and runs. See
parts/python/python.md.

Every op of `tapehead ops` is a function here, with the arguments that `tapehead explain` takes.
Where the compiled module isn't there, runs are there all the same, by the command.
"""
from importlib.util import find_spec as _find_spec

if _find_spec(f"{__name__}._core"):
    from ._core import (MLP, Attention, AttentionMap, Embedding, GradcheckResult, Gradients,
                        LayerNorm, Linear, Maps, Module, Optimizer, Page, Run, Tape, Tensor,
                        from_dlpack, load, stop_gradient, tensor)
    from ._custom_gradient import custom_gradient, recompute, straight_through
    from ._derivatives import (grad, hessian, hvp, jacobian, jvp, per_example_gradients,
                               per_example_norms, vjp)
    from ._modules import GPT, SGD, AdamW, Lion, Muon, Sequential
    from ._ops import *
    from ._own_ops import gradcheck, op
    from ._runs import explain, train
    from ._shared import Sample

    __all__ = [name for name in dir() if not name.startswith("_")]
else:
    from ._command import AttentionMap, Maps, Run, Sample, __all__, __getattr__, load, train
