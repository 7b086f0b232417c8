"""JAX in a separate process, with the same requests and answers as torch_worker.py. A training step
of GPT-2 is one jit-compiled function; parameters and moments are donated buffers."""
import functools
import json
import math
import os
import struct
import sys

SETTING = json.loads(sys.argv[1])
# XLA starts a thread for each available processor.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: SETTING["threads"]])
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from settings import DROPOUT, Config
from timing import MINIMUM_STEPS, measure

jax.config.update("jax_default_prng_impl", "rbg")  # the fastest generator
CLIP, LR, BETA1, BETA2, EPSILON, DECAY = 1.0, 1e-3, 0.9, 0.999, 1e-8, 0.01


def first_parameters(config, draw):
    """Makes parameters with the names and shapes in Tapehead's model files."""
    width = config.width
    shapes = {"tokens.weight": (config.vocabulary, width),
              "positions.weight": (config.context, width)}
    for i in range(config.layers):
        for name, out, into in (("attention.qkv", 3 * width, width), ("attention.out", width, width),
                                ("mlp.in", 4 * width, width), ("mlp.out", width, 4 * width)):
            shapes[f"blocks.{i}.{name}.weight"] = (out, into)
            shapes[f"blocks.{i}.{name}.bias"] = (out,)
    for norm in ["norm"] + [f"blocks.{i}.{name}_norm" for i in range(config.layers)
                            for name in ("attention", "mlp")]:
        shapes[f"{norm}.gain"] = shapes[f"{norm}.bias"] = (width,)
    count = sum(math.prod(shape) for shape in shapes.values())
    assert count == config.parameters, f"{count} parameters, not {config.parameters}"
    return {name: jnp.asarray(draw.normal(0, 0.02, shape) if len(shape) == 2 else
                              np.full(shape, name.endswith("gain")), jnp.float32)
            for name, shape in shapes.items()}


def load_tapehead(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    header.pop("__metadata__", None)
    return {name: jnp.asarray(np.frombuffer(data[slice(*entry["data_offsets"])], np.float32)
                              .reshape(entry["shape"])) for name, entry in header.items()}


def loss_of(p, ids, targets, config, dropout=0.0, key=None):  # (batch, time) -> mean loss
    keys = iter(jax.random.split(key, 3 * config.layers + 1)) if dropout else None

    def dropped(x):
        if not dropout:
            return x
        return jnp.where(jax.random.bernoulli(next(keys), 1 - dropout, x.shape),
                         x / (1 - dropout), 0)

    def linear(name, x):
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    def norm(name, x):
        centred = x - x.mean(-1, keepdims=True)
        scale = jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return centred * scale * p[f"{name}.gain"] + p[f"{name}.bias"]

    batch, time_ = ids.shape
    visible = jnp.tril(jnp.ones((time_, time_), bool))
    x = dropped(p["tokens.weight"][ids] + p["positions.weight"][:time_])  # (batch, time, width)
    for i in range(config.layers):
        block = f"blocks.{i}"
        q, k, v = (part.reshape(batch, time_, config.heads, -1) for part in jnp.split(
            linear(f"{block}.attention.qkv", norm(f"{block}.attention_norm", x)), 3, axis=-1))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
        weights = dropped(jax.nn.softmax(jnp.where(visible, scores, -jnp.inf)))
        y = jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape)
        x = x + dropped(linear(f"{block}.attention.out", y))
        hidden = jax.nn.gelu(linear(f"{block}.mlp.in", norm(f"{block}.mlp_norm", x)))  # tanh form
        x = x + dropped(linear(f"{block}.mlp.out", hidden))
    logits = norm("norm", x) @ p["tokens.weight"].T  # (batch, time, vocabulary)
    right = jnp.take_along_axis(logits, targets[..., None], -1)[..., 0]
    return (jax.nn.logsumexp(logits, -1) - right).mean()


def training_step(state, ids, targets, config, dropout):
    """Runs forward, backward, clipping and AdamW. Returns state and loss."""
    p, m, v, count, key = state
    key, now = jax.random.split(key)
    loss, g = jax.value_and_grad(loss_of)(p, ids, targets, config, dropout, now)
    size = jnp.sqrt(sum((x**2).sum() for x in g.values()))
    g = {name: x * jnp.minimum(1, CLIP / (size + 1e-6)) for name, x in g.items()}
    count = count + 1
    m = {name: BETA1 * m[name] + (1 - BETA1) * g[name] for name in p}
    v = {name: BETA2 * v[name] + (1 - BETA2) * g[name] ** 2 for name in p}
    new = {}
    for name, x in p.items():  # weight decay for matrices only
        update = m[name] / (1 - BETA1**count)
        update = update / (jnp.sqrt(v[name] / (1 - BETA2**count)) + EPSILON)
        new[name] = x * (1 - LR * DECAY * (x.ndim == 2)) - LR * update
    return (new, m, v, count, key), loss


class Steps:
    def __init__(self, config):
        self.config, draw = config, np.random.default_rng(0)
        size = (config.batch, config.context)
        self.batch = [jnp.asarray(draw.integers(config.vocabulary, size=size)) for _ in range(2)]
        p = first_parameters(config, draw)
        m, v = ({name: jnp.zeros_like(x) for name, x in p.items()} for _ in range(2))
        self.state, self.compiled = (p, m, v, jnp.float32(0), jax.random.key(0)), {}

    def prepare(self, case):
        dropout = DROPOUT if case == "dropout" else 0.0
        step = functools.partial(training_step, config=self.config, dropout=dropout)
        jitted = jax.jit(step, donate_argnums=0)
        self.compiled[case] = jitted.lower(self.state, *self.batch).compile()
        for _ in range(MINIMUM_STEPS):
            loss = self.step(case)
        return {"loss": loss}

    def step(self, case):
        self.state, loss = self.compiled[case](self.state, *self.batch)
        jax.block_until_ready(self.state)
        return float(loss)

    def measure(self, case, seconds):
        return measure(lambda: self.step(case), seconds)

    def memory(self, case):
        """Returns the memory that XLA plans for a step, without the step's arguments and
        results."""
        return {"megabytes": 1e-6 * self.compiled[case].memory_analysis().temp_size_in_bytes}


def evaluate(config, path, weights):
    """Returns the loss of a model trained by Tapehead on the validation (last) tenth of a text. The
    windows overlap by one character, as in torch_text.py."""
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    numbers = {character: number for number, character in enumerate(sorted(set(text)))}
    ids = np.array([numbers[character] for character in text])[len(text) * 9 // 10 :]
    p, loss = load_tapehead(weights), jax.jit(functools.partial(loss_of, config=config))
    total = 0.0
    for first in range(0, len(ids) - 1, config.context):
        window = ids[None, first : first + config.context + 1]
        total += float(loss(p, window[:, :-1], window[:, 1:])) * (window.size - 1)
    return {"val_loss": total / (len(ids) - 1)}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries may print to standard output
    config, steps = Config(**SETTING["config"]), None
    for line in sys.stdin:
        request = json.loads(line)
        do = request.pop("do")
        try:
            if do == "evaluate":
                answer = evaluate(config, **request)
            else:
                steps = steps or Steps(config)
                answer = getattr(steps, do)(**request)
        except Exception as error:  # other cases may still succeed
            text = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {text[0] if text else ''}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
