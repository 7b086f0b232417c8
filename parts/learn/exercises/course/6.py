# ---- Chapter 6: the run

# Given: random numbers, the examples of the task `reverse`, and the weight hash.


class Random:
    """Philox: the numbers are a function of a key and a counter."""

    def __init__(self, seed, purpose, step=0, site=0, example=0):
        self.key = (seed & 0xFFFFFFFF, seed >> 32)
        self.counter = (example, site | purpose << 24, step)
        self.words = []
        self.block = 0

    def bits(self):
        if not self.words:
            a, (b, c, d), (k, l) = self.block, self.counter, self.key
            for _ in range(10):
                x, y = a * 0xD2511F53, c * 0xCD9E8D57
                a, b, c, d = y >> 32 ^ b ^ k, y & 0xFFFFFFFF, x >> 32 ^ d ^ l, x & 0xFFFFFFFF
                k, l = (k + 0x9E3779B9) & 0xFFFFFFFF, (l + 0xBB67AE85) & 0xFFFFFFFF
            self.words = [a, b, c, d]
            self.block += 1
        return self.words.pop(0)

    def below(self, n):
        while True:  # rejects the few words that would favor some results
            scaled = self.bits() * n
            if scaled & 0xFFFFFFFF >= 2**32 % n:
                return scaled >> 32

    def uniform(self):
        high = self.bits() >> 5
        return (high << 26 | self.bits() >> 6) * 2.0**-53

    def normal(self):
        radius = np.sqrt(-2 * np.log(1 - self.uniform()))
        return radius * np.cos(6.283185307179586 * self.uniform())


def is_held_out(tokens):
    """Whether these tokens belong to the sixteenth of all prompts that is kept for validation."""
    h = 0xCBF29CE484222325
    for token in tokens:
        for byte in (token, 0, 0, 0):
            h = (h ^ byte) * 0x100000001B3 % 2**64
    return h * 0x9E3779B97F4A7C15 % 2**64 < 2**60


def batch(seed, step):
    """The 64 examples of a step: 16 digits, and the same digits in reverse, as arrays (64, 16)."""
    prompts = []
    for number in range(64):
        random = Random(seed, 2, step, 0, number)
        tokens = None
        while tokens is None or is_held_out(tokens):
            tokens = [random.below(10) for _ in range(16)]
        prompts.append(tokens)
    return np.array(prompts), np.array(prompts)[:, ::-1]


def weight_hash(parameters):
    import hashlib

    total = hashlib.sha256()
    for name, p in sorted(parameters.items()):
        sizes = "".join(" %d" % size for size in p.value.shape)
        total.update(("%s\0F32%s\n" % (name, sizes)).encode() + p.value.tobytes())
    return total.hexdigest()[:16]


SHAPES = {
    "tokens.weight": (10, 32),
    "positions.weight": (16, 32),
    "blocks.0.attention_norm.gain": (32,),
    "blocks.0.attention_norm.bias": (32,),
    "blocks.0.attention.qkv.weight": (96, 32),
    "blocks.0.attention.qkv.bias": (96,),
    "blocks.0.attention.out.weight": (32, 32),
    "blocks.0.attention.out.bias": (32,),
    "blocks.0.mlp_norm.gain": (32,),
    "blocks.0.mlp_norm.bias": (32,),
    "blocks.0.mlp.in.weight": (128, 32),
    "blocks.0.mlp.in.bias": (128,),
    "blocks.0.mlp.out.weight": (32, 128),
    "blocks.0.mlp.out.bias": (32,),
    "norm.gain": (32,),
    "norm.bias": (32,),
    "head.weight": (10, 32),
    "head.bias": (10,),
}


def initial_weights(seed):
    """A dictionary of tensors with the names and shapes above, in this order.

    Gains are 1 and biases 0. Matrix number i of SHAPES, counted from 0 with gains and biases, gets
    the numbers Random(seed, 1, 0, i).normal() as float32, times float32(0.02), or times
    float32(0.02 / sqrt(2)) for matrices that end in "out.weight", whose results are added to the
    stream.
    """
    #[
    parameters = {}
    for i, (name, shape) in enumerate(SHAPES.items()):
        if name.endswith("weight"):
            random = Random(seed, 1, 0, i)
            spread = 0.02 / np.sqrt(2) if name.endswith("out.weight") else 0.02
            draws = [random.normal() for _ in range(shape[0] * shape[1])]
            value = np.float32(draws).reshape(shape) * np.float32(spread)
        else:
            value = np.full(shape, 1 if name.endswith("gain") else 0)
        parameters[name] = Tensor(value)
    return parameters
    #]


def model(p, ids):
    """The logits (rows * 16, 10) of an encoder for ids (rows, 16). p: its parameters by name.

    Embeddings of tokens plus positions; an attention block, which isn't causal; an MLP block; a
    layer norm; a linear layer.
    """
    block = "blocks.0."
    #[
    x = embedding(p["tokens.weight"], ids.reshape(-1))
    x = add(reshape(x, ids.shape + (32,)), p["positions.weight"])
    x = attention_block(x, *[p[block + name] for name in (
        "attention_norm.gain", "attention_norm.bias", "attention.qkv.weight",
        "attention.qkv.bias", "attention.out.weight", "attention.out.bias")])
    x = mlp_block(reshape(x, (-1, 32)), *[p[block + name] for name in (
        "mlp_norm.gain", "mlp_norm.bias", "mlp.in.weight", "mlp.in.bias",
        "mlp.out.weight", "mlp.out.bias")])
    x = layer_norm(x, p["norm.gain"], p["norm.bias"])
    return linear(x, p["head.weight"], p["head.bias"])
    #]


def gradients(p, inputs, targets):
    """Sets each parameter's grad to the gradient of the mean loss over all targets of the batch.

    Returns the loss. For the same bits: run forward and backward for 16 rows of the batch at a
    time, each with the number of all targets as count, and add the gradients and the losses.
    """
    #[
    for each in p.values():
        each.grad[:] = 0
    loss = 0.0
    for begin in range(0, len(inputs), 16):
        rows = slice(begin, begin + 16)
        part = cross_entropy(model(p, inputs[rows]), targets[rows].reshape(-1), targets.size)
        loss += float(part.value)
        backward(part, np.float32(1))
    return loss
    #]


def train(seed, steps, end):
    """Trains with a learning rate that is planned for `steps` steps, and stops after `end` steps.

    Returns the parameters and the losses. Each step clips the gradients at the norm 1.
    """
    #[
    p = initial_weights(seed)
    optimizer = AdamW(p)
    losses = []
    for step in range(end):
        losses.append(gradients(p, *batch(seed, step)))
        clip([each.grad for each in p.values()], 1)
        optimizer.step(learning_rate(step, steps))
    return p, losses
    #]


if __name__ == "__main__":
    trained, history = train(0, 300, 300)
    print("loss %.4f, weight hash %s" % (history[-1], weight_hash(trained)))
