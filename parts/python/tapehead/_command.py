"""Runs through the command, for installations without the compiled module."""
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib

from ._plots import heads, layers, losses
from ._shared import (Sample, check_task, check_train, files, framed, metrics, settings, spelled,
                      with_progress)
from ._shown import card

__all__ = ["AttentionMap", "Maps", "Run", "Sample", "load", "numerics", "ops", "train"]
compiled = {"AdamW", "Attention", "Embedding", "Experiment", "GPT", "GradcheckResult", "Gradients",
            "Grid", "LayerNorm", "Linear", "Lion", "MLP", "Module", "Muon", "Optimizer", "Page",
            "Parameter", "SGD", "Sequential", "Tape", "Tensor", "custom_gradient", "explain",
            "from_dlpack", "full", "grad", "gradcheck", "hessian", "hvp", "jacobian", "jvp", "ones",
            "op", "per_example_gradients", "per_example_norms", "randn", "recompute", "save_run",
            "stop_gradient", "straight_through", "tensor", "vjp", "zeros"}
compiled_of_runs = {"ablate", "capture", "circuit", "edge_attribution", "hook", "logits", "model",
                    "parameters", "parse", "patch", "path_patch", "points", "probe", "score",
                    "show", "validation", "vocabulary"}


def _missing(name):
    return f"{name} needs the compiled module: in a checkout, pip install ./parts/python"


@functools.cache
def _ops():
    return tuple(op["name"] for op in json.loads(_said("ops", "--json")))


@functools.cache
def _version():
    """Returns the version and the numerics."""
    version, numerics = re.search(r"(\S+) \(.*numerics (\d+)\)", _said("--version")).groups()
    return version, int(numerics)


def __getattr__(name):
    """Calls the command for the names `ops`, `numerics` and `__version__`; raises an ImportError
    for names of the compiled module."""
    if name == "ops":
        return _ops()
    if name == "__version__":
        return _version()[0]
    if name == "numerics":
        return _version()[1]
    if name in compiled or not name.startswith("_") and name in _ops():
        raise ImportError(_missing(f"tapehead.{name}"), name=__package__)
    raise AttributeError(f"module {__package__!r} has no attribute {name!r}")


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("tapehead: arrays need NumPy; run pip install numpy") from None
    return numpy


def _program():
    """Returns the path of the command, in pip's folder for all users, the user's, or on PATH."""
    folders = [sysconfig.get_path("scripts"),
               sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
               os.environ.get("PATH", "")]
    found = shutil.which("tapehead", path=os.pathsep.join(folders))
    if found is None:
        raise FileNotFoundError(f"tapehead: the command is neither in {folders[0]} nor on PATH; "
                                "reinstall the wheel")
    return found


def _said(*words, watch=None):
    """Runs the command and returns its standard output; meanwhile calls `watch` repeatedly. Prints
    its standard error. If the command fails, raises the last line as the error instead."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # Ctrl+C doesn't reach the command in its own session, so it stops once, by terminate().
        process = subprocess.Popen([_program(), *words], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=errors, start_new_session=True)
        try:
            while watch:
                try:
                    process.wait(0.02)
                    break
                except subprocess.TimeoutExpired:
                    watch()
            process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        if watch:
            watch()
        texts = []
        for file in output, errors:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    output, lines = texts[0], texts[1].splitlines()
    reason = lines.pop().removeprefix("tapehead: ") if process.returncode and lines else ""
    for line in lines:
        print(line, file=sys.stderr)
    if process.returncode:
        reason = reason or f"tapehead {words[0]}: exited with status {process.returncode}"
        wrong_usage = process.returncode == 2
        raise ValueError(spelled(reason)) if wrong_usage else OSError(reason)
    return output


def _options(options):
    return [f"--{name}={value}" for name, value in settings(options)]


class AttentionMap:
    """The attention weights of one layer for a sequence, by head."""

    def __init__(self, found):
        numpy = _numpy()
        self._rules = {head["head"]: head["rule"] for head in found["heads"]}
        self._found = found
        self._weights = numpy.array([head["weights"] for head in found["heads"]], "float32")

    layer = property(lambda self: self._found["layer"],
                     doc="The index of the attention layer, in the order of computation.")
    module = property(lambda self: self._found["module"], doc="Its path in the model.")
    queries = property(lambda self: self._found["queries"], doc="The tokens of the queries.")
    keys = property(lambda self: self._found["keys"], doc="The tokens of the keys.")
    weights = property(lambda self: self._weights,
                       doc="The weights, an array (heads, queries, keys).")

    def pattern(self, head):
        """Returns the name of the pattern that a head follows; empty if there is none."""
        return self._rules[head]

    rule = pattern  # deprecated name
    plot = heads


class Maps:
    """The attention maps of a sequence, one per layer."""

    def __init__(self, page):
        self._page = page
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
        self._layers = [AttentionMap(found) for found in json.loads(data[1])["maps"]]

    layers = property(lambda self: self._layers, doc="The maps as a list.")

    def page(self):
        """Returns the HTML page that `tapehead attention` writes."""
        return self._page

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, layer):
        return self.layers[layer]

    _repr_html_, plot = framed, layers


def _checkpoint_folder(run, checkpoint, step):
    """Returns the folder of a checkpoint; if two have the same step, the newer one."""
    run = pathlib.Path(run)
    if checkpoint == "last":
        return run
    if checkpoint == "best":
        return run / "best"
    folder = run / f"step-{step}"
    while (again := folder.with_name(folder.name + "-again")).exists():
        folder = again
    return folder


class Run:
    """A trained model and its run folder."""

    def __init__(self, path, checkpoint, data):
        self.path, self._checkpoint = os.fspath(path), checkpoint
        self._data = [] if data is None else [f"--data={os.fspath(data)}"]
        self.steps = self._asked("eval", "--examples=1")["step"]
        self._folder = _checkpoint_folder(self.path, checkpoint, self.steps)

    def __getattr__(self, name):
        raise AttributeError(_missing(f"a run's {name}") if name in compiled_of_runs else
                             f"a run has no attribute {name!r}")

    def _command(self, name, *words, data=None):
        data = self._data if data is None else [f"--data={os.fspath(data)}"]
        return _said(name, f"--checkpoint={self._checkpoint}", *data, *words, "--", self.path)

    def _asked(self, name, *words, data=None):
        return json.loads(self._command(name, "--json", *words, data=data))

    def _file(self):
        """Returns the checkpoint's header and the bytes after it."""
        with open(self._folder / "model.safetensors", "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            return header.pop("__metadata__"), header, file.read()

    @property
    def config(self):
        """Every option of the run."""
        started = tomllib.loads(pathlib.Path(self.path, "config.toml").read_text("utf-8"))
        return started | tomllib.loads(self._file()[0]["config"])  # options changed by resuming

    @property
    def digest(self):
        """The weight hash, as printed by `tapehead digest`."""
        return json.loads(_said("digest", "--json", f"--checkpoint={self._checkpoint}", "--",
                                self.path))["digest"]

    @property
    def weights(self):
        """Read-only arrays of the weights by path."""
        numpy = _numpy()
        _, header, elements = self._file()
        types = {"F32": "<f4", "F64": "<f8", "I32": "<i4"}
        return {path: numpy.frombuffer(elements[slice(*found["data_offsets"])],
                                       types[found["dtype"]]).reshape(found["shape"])
                for path, found in header.items()}

    metrics, plot, _repr_html_ = property(metrics), losses, card

    def sample(self, prompt=None, *, samples=None, temperature=None, top_k=0, top_p=1,
               tokens=None, examples=5, seed=0):
        """Generates text like `tapehead sample`, with its options. Without a prompt, starts from
        validation prompts, or from nothing if the task has none. Returns a list of Sample."""
        options = {"prompt": prompt, "samples": samples, "temperature": temperature,
                   "top_k": top_k, "top_p": top_p, "tokens": tokens, "examples": examples,
                   "seed": seed}
        given = {name: value for name, value in options.items() if value is not None}
        return [Sample(asked["prompt"], sample["text"], asked.get("wanted"))
                for asked in self._asked("sample", *_options(given))["prompts"]
                for sample in asked["samples"]]

    def evaluate(self, examples=256, data=None, threads=0, by=None, lengths=None):
        """Returns the loss on validation (held-out) examples and, if the task has answers, the
        exact match. `data` is a file of examples to use instead. `threads` is the number of threads
        (0 = one per core), which doesn't change the result. by="length" adds the accuracy by
        length. With `lengths`, such as "1..40" or range(10, 101, 10), returns a list with the
        results on `examples` examples of each length."""
        words = [f"--examples={examples}", f"--threads={threads}"]
        if lengths is not None:
            if by or data:
                raise ValueError(f"evaluate: lengths and {'by' if by else 'data'} can't be combined")
            text = lengths if isinstance(lengths, str) else ",".join(map(str, lengths))
            rows = self._asked("eval", *words, f"--lengths={text}")["lengths"]
            return [row | ({"interval": tuple(row["interval"])} if "interval" in row else {})
                    for row in rows]
        found = self._asked("eval", *words, *([f"--by={by}"] if by else []), data=data)
        names = ("loss", "examples", "exact_match", "by_length")
        return {name: found[name] for name in names if name in found}

    def attention(self, tokens=None):
        """Returns the attention maps for a text in the task's format; by default for the first
        validation example. Appends the model's answer to a text without one."""
        if tokens is not None and not isinstance(tokens, str):
            raise TypeError(_missing("attention: passing ids instead of a text"))
        words = [] if tokens is None else [f"--input={tokens}"]
        return Maps(self._command("attention", "--format=html", *words))

    def __repr__(self):
        return f"<run {self.path}: {self.config['task']}, step {self.steps}>"


def load(path, checkpoint="last", data=None):
    """Loads a run from its folder, with the last checkpoint, the best, or the one of a step. `data`
    is a file of examples to use instead of the run's own."""
    return Run(path, checkpoint, data)


def _free_path(task):
    paths = (f"runs/{task}-{i}" for i in itertools.count())
    return next(path for path in paths if not os.path.lexists(path))


def train(task=None, *, resume=None, validation=None, preset=None, config=None, on_step=None,
          on_evaluation=None, progress=None, **options):
    """Trains like `tapehead train TASK` and returns the run. Takes the same options: train("copy",
    steps=100, eval_every=50, out="runs/a"). `validation` is a file. `config` is a configuration
    file or a list of them, where later files win. `resume` is the path of a run to continue;
    only `steps` and `threads` can change. `on_step(step, loss)` is called after each step.
    `progress` shows a progress bar; by default only in notebooks."""
    new = {"validation": validation, "preset": preset, "config": config}
    check_train(task, resume, new, on_step, on_evaluation)
    if resume is None:
        check_task(task)
    for needed, name in ((not isinstance(task, str | None), "training on objects"),
                         (on_evaluation is not None, "on_evaluation"),
                         (not isinstance(validation, str | os.PathLike | None),
                          "a number or a list for validation")):
        if needed:
            raise ImportError(_missing(f"train: {name}"))
    if validation is not None:
        options["held_out"] = os.fspath(validation)
    words = [] if task is None else [task]
    if resume is not None:
        for name in options.keys() - {"steps", "threads"}:
            raise ImportError(_missing(f"train: {name} of a resumed run"))
        words += [f"--resume={os.fspath(resume)}"] + ["--change=steps"] * ("steps" in options)
    else:
        options.setdefault("out", _free_path(task))
    words += [f"--config={file}" for file in files(config)]
    words += _options(({"preset": preset} if preset else {}) | options)
    on_step = with_progress(on_step, progress, options.get("steps"))
    path = options["out"] if resume is None else os.fspath(resume)
    _said("train", *words, watch=on_step and _Steps(path, on_step))
    return load(path)


class _Steps:
    """Calls a function for each new step in the metrics file of a run that is training."""

    def __init__(self, out, on_step):
        self.path, self.on_step, self.read = pathlib.Path(out, "metrics.jsonl"), on_step, 0

    def __call__(self):
        if not self.path.exists():
            return
        with open(self.path, "rb") as file:
            file.seek(self.read)
            whole = file.read().rpartition(b"\n")[0]
        self.read += len(whole) + 1 if whole else 0
        for line in whole.splitlines():
            step = json.loads(line)
            self.on_step(step["step"], step["loss"])
