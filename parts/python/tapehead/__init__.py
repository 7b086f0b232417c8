"""Tapehead from Python: tensors and ops on a tape, derivatives, gradient checks, and runs. See
docs/python.md.

Every op of `tapehead ops` is a function here, with the same arguments as in `tapehead explain`.
Without the compiled module, only runs are available; they call the command.
"""
from importlib.util import find_spec as _find_spec

if _find_spec(f"{__name__}._core"):
    from ._core import version as __version__
    from ._core import (AttentionMap, Experiment, GradcheckResult, Gradients, Grid, Maps, Module,
                        Optimizer, Page, Parameter, Run, Tape, Tensor, arange, from_dlpack, full,
                        load, numerics, ones, randn, stop_gradient, tensor, zeros)
    from ._ops import *
    from . import _elsewhere, _numpy
    from ._custom_gradient import custom_gradient, recompute, straight_through
    from ._derivatives import (grad, hessian, hvp, jacobian, jvp, per_example_gradients,
                               per_example_norms, vjp)
    from ._modules import GPT, MLP, Attention, Embedding, LayerNorm, Linear, Sequential
    from ._optimizers import SGD, AdamW, Lion, Muon
    from ._own_ops import gradcheck, op
    from ._runs import explain, save_run, train
    from ._shared import Sample

    __all__ = [name for name in dir() if not name.startswith("_")]
else:
    from ._command import AttentionMap, Maps, Run, Sample, __all__, __getattr__, load, train
