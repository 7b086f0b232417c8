"""Compares derivatives of random programs, sequences of ops, with PyTorch."""
import numpy as np
import pytest

import tapehead as ours

torch = pytest.importorskip("torch")
from torch_reference import F, LARGEST_ERROR, Compared, layer_norm


def rms_norm(x, gain=None):
    return F.rms_norm(x, x.shape[-1:], gain, eps=1e-5)


def with_axes(f):
    return lambda x, axis, keep: f(x, dim=axis, keepdim=keep)


# For each kind of step, the functions of Tapehead and of PyTorch, which take the same arguments.
STEPS = {
    "add": (ours.add, torch.add),
    "sub": (ours.sub, torch.sub),
    "mul": (ours.mul, torch.mul),
    "div": (lambda a, b: a / (b * b + 1), lambda a, b: a / (b * b + 1)),
    "pow": (lambda a, b: (a * a + 0.5) ** b, lambda a, b: (a * a + 0.5) ** b),
    "maximum": (ours.maximum, torch.maximum),
    "minimum": (ours.minimum, torch.minimum),
    "neg": (ours.neg, torch.neg),
    "exp": (lambda x: ours.exp(-x * x), lambda x: torch.exp(-x * x)),
    "log": (lambda x: ours.log(x * x + 1), lambda x: torch.log(x * x + 1)),
    "sqrt": (lambda x: ours.sqrt(x * x + 1), lambda x: torch.sqrt(x * x + 1)),
    "abs": (ours.abs, torch.abs),
    "sin": (ours.sin, torch.sin),
    "cos": (ours.cos, torch.cos),
    "erf": (ours.erf, torch.erf),
    "tanh": (ours.tanh, torch.tanh),
    "sigmoid": (ours.sigmoid, torch.sigmoid),
    "relu": (ours.relu, torch.relu),
    "silu": (ours.silu, F.silu),
    "gelu": (lambda x, form: ours.gelu(x, form=form),
             lambda x, form: F.gelu(x, approximate={"erf": "none"}.get(form, form))),
    "clamp": (lambda x: ours.clamp(x, -0.8, 0.8), lambda x: torch.clamp(x, -0.8, 0.8)),
    "sum": (ours.sum, with_axes(torch.sum)),
    "mean": (ours.mean, with_axes(torch.mean)),
    "amax": (ours.amax, with_axes(torch.amax)),
    "var": (ours.var, with_axes(lambda x, **how: torch.var(x, correction=0, **how))),
    "softmax": (ours.softmax, lambda x, axis: F.softmax(x, axis)),
    "log_softmax": (ours.log_softmax, lambda x, axis: F.log_softmax(x, axis)),
    "logsumexp": (ours.logsumexp, lambda x, axis, keep: torch.logsumexp(x, axis, keep)),
    "where": (lambda a, b, mask: ours.where(mask, a, b),
              lambda a, b, mask: torch.where(torch.tensor(mask), a, b)),
    "masked_fill": (lambda x, mask, value: ours.masked_fill(x, mask, value),
                    lambda x, mask, value: x.masked_fill(torch.tensor(mask), value)),
    "gather_rows": (ours.gather_rows, lambda x, ids: x[torch.tensor(ids)]),
    "scatter_rows": (ours.scatter_rows, lambda x, ids, rows: torch.zeros(
        rows, *x.shape[1:], dtype=x.dtype).index_add(0, torch.tensor(ids), x)),
    "matmul": (ours.matmul, torch.matmul),
    "linear": (ours.linear, F.linear),
    "layer_norm": (ours.layer_norm, layer_norm),
    "rms_norm": (ours.rms_norm, rms_norm),
    "reshape": (ours.reshape, lambda x, shape: x.reshape(shape)),
    "permute": (ours.permute, lambda x, order: x.permute(order)),
    "transpose": (ours.transpose, lambda x, a, b: x.transpose(a, b)),
    "broadcast_to": (ours.broadcast_to, lambda x, shape: x.broadcast_to(shape)),
    "sum_to": (ours.sum_to, lambda x, shape: x.sum_to_size(shape)),
    "slice": (ours.slice, lambda x, axis, begin, end: x.narrow(axis, begin, end - begin)),
    "split": (lambda x, parts, axis, part: ours.split(x, parts, axis)[part],
              lambda x, parts, axis, part: torch.chunk(x, parts, axis)[part]),
    "pad": (ours.pad, lambda x, axis, before, after: torch.cat(
        [x.new_zeros(*x.shape[:axis], n, *x.shape[axis + 1:]) if n != "x" else x
         for n in (before, "x", after)], axis)),
    "concat": (ours.concat, lambda *x, axis: torch.cat(x, axis)),
    "stack": (ours.stack, lambda *x, axis: torch.stack(x, axis)),
    "cross_entropy": (ours.cross_entropy, lambda x, targets, label_smoothing: F.cross_entropy(
        x, torch.tensor(targets), label_smoothing=label_smoothing)),
    "mse": (ours.mse, F.mse_loss),
}
LARGEST_SIZE = 48  # most elements of a step's result


class Program:
    """A program of random steps on earlier results. `shapes` has the shapes of all results: first
    the inputs."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        few = [(3,), (2, 3), (3, 2), (3, 1), (1, 2), (2, 2), (1, 2, 3), (2, 1, 2), ()]
        self.shapes = [few[i] for i in self.draw.choice(len(few), 1 + self.below(3))]
        self.inputs = [np.asarray(self.draw.normal(size=shape)) for shape in self.shapes]
        self.steps = []
        wanted = 4 + self.below(8)
        while len(self.steps) < wanted:
            self.try_step()

    def __str__(self):
        lines = [f"{i}: {shape}" for i, shape in enumerate(self.shapes[:len(self.inputs)])]
        return "\n".join(lines + [f"{len(self.inputs) + i}: {name}{operands} {options}"
                                  for i, (name, operands, options) in enumerate(self.steps)])

    def function(self, which):
        """Runs the program. Returns one vector of all results that no other step uses."""
        taken = {i for _, operands, _ in self.steps for i in operands}
        last = [i for i in range(len(self.inputs), len(self.shapes)) if i not in taken]
        step = lambda name, *x, **options: STEPS[name][which](*x, **options)

        def f(*x):
            values = list(x)
            for name, operands, options in self.steps:
                values.append(step(name, *[values[i] for i in operands], **options))
            return step("concat", *[step("reshape", values[i], shape=[-1]) for i in last], axis=0)
        return f

    def below(self, n):
        return int(self.draw.integers(n))

    def try_step(self):
        """Draws a step and adds it if its operands fit."""
        name = list(STEPS)[self.below(len(STEPS))]
        latest = len(self.shapes) - 1
        first = latest if self.below(3) else self.below(latest + 1)  # mostly uses the latest result
        operands, options = self.arguments(name, first, self.shapes[first])
        if operands is None:
            return
        try:
            made = STEPS[name][1](*[torch.ones(self.shapes[i]) for i in operands], **options)
        except (RuntimeError, IndexError, TypeError):  # a wrong shape or axis, or a missing operand
            return
        if 0 < made.numel() <= LARGEST_SIZE and made.dim() <= 4:
            self.steps.append((name, operands, options))
            self.shapes.append(tuple(made.shape))

    def arguments(self, name, x, shape):
        """Draws the operands and options of a step; no operands if the op needs more axes."""
        rank, draw = len(shape), self.draw
        other = self.below(len(self.shapes))
        axis = self.below(rank) if rank else 0
        def fitting(fits):
            """Returns a list of one earlier result that fits; an empty list if none fits."""
            all_fitting = [i for i, each in enumerate(self.shapes) if fits(each)]
            return all_fitting and [all_fitting[self.below(len(all_fitting))]]

        if name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum"):
            return [x, other] if self.below(2) else [other, x], {}
        if name == "mse":
            return [x] + fitting(lambda each: each == shape), {}
        if name == "where":
            return [x, other], {"mask": draw.random(shape) < 0.5}
        if name == "gelu":
            return [x], {"form": ["erf", "tanh"][self.below(2)]}
        if name == "broadcast_to":
            return [x], {"shape": [1 + self.below(2), *(n if n > 1 else 3 for n in shape)]}
        if name not in ("masked_fill",) and STEPS[name][1] in UNARY:
            return [x], {}
        if rank == 0:
            return None, {}
        if name in ("sum", "mean", "amax", "var"):
            axes = sorted(draw.choice(rank, 1 + self.below(rank), replace=False).tolist())
            return [x], {"axis": axes, "keep": bool(self.below(2))}
        if name in ("softmax", "log_softmax"):
            return [x], {"axis": axis}
        if name == "logsumexp":
            return [x], {"axis": axis, "keep": bool(self.below(2))}
        if name == "masked_fill":
            return [x], {"mask": draw.random(shape[self.below(rank):]) < 0.5, "value": 0.25}
        if name == "gather_rows":
            return [x], {"ids": draw.integers(shape[0], size=[(3,), (2, 2)][self.below(2)])}
        if name == "scatter_rows":
            return [x], {"ids": draw.integers(3, size=shape[0]), "rows": 3}
        if name == "matmul" and rank > 1:  # vectors aren't special cases here
            return [x] + fitting(lambda each: each[-2:-1] == shape[-1:]), {}
        if name == "linear":
            weight = fitting(lambda each: len(each) == 2 and each[1] == shape[-1])
            biases = fitting(lambda each: weight and each == self.shapes[weight[0]][:1])
            return [x] + weight + biases * self.below(2), {}
        if name == "layer_norm" and shape[-1] < 3:
            return None, {}  # two values normalize to about 1 and -1, with derivatives near 0
        if name in ("layer_norm", "rms_norm"):
            gains = fitting(lambda each: each == shape[-1:])
            return [x] + gains * self.below(2) * (2 if name == "layer_norm" else 1), {}
        if name == "reshape":
            return [x], {"shape": [[-1], list(shape[::-1]), [1, *shape]][self.below(3)]}
        if name == "permute":
            return [x], {"order": draw.permutation(rank).tolist()}
        if name == "transpose":
            return [x], {"a": axis, "b": self.below(rank)}
        if name == "sum_to":
            return [x], {"shape": [n if draw.random() < 0.5 else 1 for n in shape]}
        if name == "slice":
            begin = self.below(shape[axis])
            return [x], {"axis": axis, "begin": begin,
                         "end": begin + 1 + self.below(shape[axis] - begin)}
        if name == "split":
            return [x], {"parts": shape[axis], "axis": axis, "part": self.below(shape[axis])}
        if name == "pad":
            return [x], {"axis": axis, "before": self.below(2), "after": 1}
        if name in ("concat", "stack"):
            return [x, other, x][:2 + self.below(2)], {"axis": axis}
        if name != "cross_entropy" or rank != 2:
            return None, {}
        return [x], {"targets": draw.integers(shape[1], size=shape[0]),
                     "label_smoothing": [0, 0.1][self.below(2)]}


UNARY = [STEPS[name][1] for name in (
    "neg exp log sqrt abs sin cos erf tanh sigmoid relu silu clamp").split()]


def test_random_programs():
    worst, used = {}, set()
    for seed in range(1000):
        program = Program(seed)
        used.update(name for name, _, _ in program.steps)
        compared = Compared(program.function(0), program.function(1), program.inputs, program.draw)
        for kind in ("jvp", "hvp", "hessian"):
            found = getattr(compared, f"of_{kind}")()
            assert found < LARGEST_ERROR, f"{kind} of program {seed}: {found}\n{program}"
            worst[kind] = max(worst.get(kind, 0), found)
    print("1000 random programs:", worst)
    assert used == STEPS.keys()
