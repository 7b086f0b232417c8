"""Errors for names of other libraries; the messages give Tapehead's name."""
from ._core import Module, Optimizer, Parameter, Tensor

_ITSELF = "the tensor itself, since tensors are immutable"
_CPU = "nothing: everything is on the CPU"
_GRADIENTS = "nothing: gradients are values and don't accumulate"
of_tensors = {
    "astype": "x.cast(dtype)",
    "backward": "with tapehead.Tape(w) as tape: ...; tape.gradients(loss, [w])",
    "bool": "x != 0",
    "clone": _ITSELF,
    "copy": _ITSELF,
    "cpu": _CPU,
    "cuda": _CPU,
    "detach": "tapehead.stop_gradient(x)",
    "device": _CPU,
    "dim": "x.ndim",
    "double": 'x.cast("f64")',
    "expand": "x.broadcast_to(shape)",
    "flatten": "x.reshape(-1)",
    "float": 'x.cast("f32")',
    "grad": "tape.gradients(loss, [x])",
    "int": 'x.cast("i32")',
    "long": 'x.cast("i32")',
    "max": "x.amax(axis)",
    "min": "-(-x).amax(axis)",
    "norm": "(x * x).sum().sqrt()",
    "numel": "x.size",
    "ravel": "x.reshape(-1)",
    "requires_grad": "tapehead.Tape(x), which watches x",
    "retain_grad": "tape.watch(x)",
    "square": "x * x",
    "squeeze": "x.reshape(shape)",
    "std": "x.var(axis).sqrt()",
    "swapaxes": "x.transpose(a, b)",
    "t": "x.T",
    "to": "x.cast(dtype)",
    "type": "x.cast(dtype)",
    "unsqueeze": "x[None]",
    "view": "x.reshape(shape)",
    "where": "tapehead.where(mask, a, b)"}
of_modules = {
    "apply": "a loop over model.parameters.values()",
    "children": "the model's attributes",
    "cuda": _CPU,
    "eval": "model(x): without step it evaluates",
    "load_state_dict": "model.load(path)",
    "named_parameters": "model.parameters.items()",
    "requires_grad_": "model.freeze() or model.unfreeze()",
    "state_dict": "model.parameters, or model.save(path)",
    "to": _CPU,
    "train": "model(x, step=n): with a step number it trains",
    "zero_grad": _GRADIENTS}
of_optimizers = {
    "load_state_dict": "optimizer.load(path)",
    "param_groups": "optimizer.lr",
    "state_dict": "optimizer.save(path), or pickle and copy.deepcopy",
    "zero_grad": _GRADIENTS}
in_place = {"add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}


def _refusing(names):
    def missing(self, name):
        kind = type(self).__name__
        if name in names:
            raise AttributeError(f"{kind} has no {name!r}; use {names[name]}")
        if name in in_place and names is of_tensors:
            raise AttributeError(f"{kind} has no {name!r}: tensors are immutable; "
                                 f"use x = x {in_place[name]} y")
        if name.endswith("_") and not name.startswith("_") and hasattr(type(self), name[:-1]):
            raise AttributeError(f"{kind} has no {name!r}: tensors are immutable; "
                                 f"use x = x.{name[:-1]}(...)")
        raise AttributeError(f"{kind} has no attribute {name!r}")
    return missing


Tensor.__getattr__ = Parameter.__getattr__ = _refusing(of_tensors)
Optimizer.__getattr__ = _refusing(of_optimizers)
