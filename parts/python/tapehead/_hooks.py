"""Lists, reads and replaces tensors at hook points of a run's model; ablation, patching, circuits and
probes."""
import contextlib
import difflib

from . import _core


def points(self):
    """Returns the names of the model's hook points, in the order of a forward pass, such as
    blocks.0.attention.pattern."""
    return _core.points(self)


def _check(run, names):
    known = _core.points(run)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, 1)
            raise ValueError(f"hook: no point {name!r}; " + (
                f"did you mean {near[0]!r}?" if near else "run.points() lists them"))


@contextlib.contextmanager
def _active(model, hooks):
    numbers = []
    try:
        numbers += (_core.add_hook(model, point, f) for point, f in hooks)
        yield
    finally:
        for number in numbers:
            _core.remove_hook(number)


def hook(self, point, f):
    """Calls f(x) with the tensor at a hook point in each forward pass of run.model, run.logits,
    run.evaluate, run.sample and run.attention within the `with` block, on this thread. If f returns
    a tensor or an array of the same shape, the pass continues with it; None keeps x. In a tape's
    block, tape.watch(x) in f requests the gradient of x. run.evaluate calls f on several threads in
    any order; run.sample calls it for the prompt, then for one token at a time."""
    if not callable(f):
        raise TypeError(f"hook: f must be a function of a tensor, got a {type(f).__name__}")
    _check(self, [point])
    return _active(self.model, [(point, f)])


def capture(self, points, tokens):
    """Returns the tensors at hook points for texts or token ids: a dict of arrays by point, or one
    array if `points` is one name. The first axis is the batch."""
    names = [points] if isinstance(points, str) else list(points)
    _check(self, names)
    found = {}
    with _active(self.model, [(name, lambda x, name=name: found.update({name: x.numpy()}))
                              for name in names]):
        self.logits(tokens)
    return found[points] if isinstance(points, str) else found


def ablate(self, *, examples=1000, by="mean", heads=None, pairs=False, positions=False):
    """Measures the validation loss without each head, attention layer, MLP and block, like
    `tapehead inspect ablate`, with its options. Returns an Experiment."""
    return _core.ablate(self, examples, by, heads or "", pairs, positions)


def patch(self, clean=None, corrupted=None):
    """Copies each activation of a clean prompt's pass into a corrupted prompt's pass, like
    `tapehead inspect patch`. By default, the prompts are validation examples. Returns an
    Experiment."""
    return _core.patch(self, clean or "", corrupted or "")


def path_patch(self, writer=None, reader=None, *, clean=None, corrupted=None, examples=None,
               by="resample", metric="logit", top=20):
    """Replaces the output of a component in what one later component reads, like `tapehead inspect
    path`, with its options --from and --to as `writer` and `reader`. Returns an Experiment."""
    return _core.path_patch(self, writer or "", reader or "", clean or "", corrupted or "",
                            examples, by, metric, top)


def edge_attribution(self, *, clean=None, corrupted=None, examples=None, by="resample",
                     metric="logit", steps=8, top=20):
    """Estimates the effects of all edges between components from gradients, like `tapehead inspect
    edges`, with its options. Returns an Experiment."""
    return _core.edge_attribution(self, clean or "", corrupted or "", examples, by, metric, steps,
                                  top)


def circuit(self, *, clean=None, corrupted=None, examples=None, by="resample", metric="kl",
            method="acdc", threshold=0.01, steps=None, top=20):
    """Prunes the edges between components to a circuit, like `tapehead inspect circuit`, with its
    options. Returns an Experiment."""
    return _core.circuit(self, clean or "", corrupted or "", examples, by, metric, method,
                         threshold, steps, top)


def probe(self, property="target", *, at=None, examples=1000):
    """Fits linear probes at hook points, like `tapehead inspect probe`, with its options. Returns
    an Experiment."""
    return _core.probe(self, property, at or "", examples)


def score(self, *, examples=100):
    """Scores the other experiments against the known circuit of a compiled program, like `tapehead
    inspect score`. Returns an Experiment."""
    return _core.score(self, examples)
