"""The measured configurations: sizes of models and batches, variants, and the whole run."""
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Config:
    """The sizes of a GPT-2 and its batch. The name is the configuration's name in `tapehead
    bench`."""

    name: str
    layers: int
    heads: int
    width: int
    context: int
    batch: int
    vocabulary: int

    @property
    def parameters(self):
        """Returns the number of parameters, with weight tying, biases, two norms per block and a
        final norm."""
        block = 12 * self.width**2 + 13 * self.width
        return (self.vocabulary + self.context + 2) * self.width + self.layers * block

    def sizes(self):
        return {key: value for key, value in asdict(self).items() if key != "name"}


CONFIGS = {
    config.name: config
    for config in (
        Config("tiny", 2, 4, 64, 32, 32, 16),
        Config("cpu", 4, 4, 128, 64, 12, 65),
        Config("baby", 6, 6, 384, 256, 8, 65),
        Config("gpt2", 12, 12, 768, 256, 1, 50257),
        Config("gpt2-short", 12, 12, 768, 64, 4, 50257),
    )
}
COMPILED_BY_DEFAULT = ("tiny", "cpu", "baby")

# The variants of `tapehead bench`, and the PyTorch cases to compare each variant with. The fastest
# of these cases counts.
VARIANTS = {
    "plain": ("plain",),
    "dropout": ("dropout",),
    "options": (),  # only in Tapehead: learned temperatures, rotary, half the KV heads
}
DROPOUT = 0.1

# Training steps with growing context. Width and number of layers come from the size `cpu`; the
# number of tokens per batch is constant.
GROWTH = [
    Config("cpu", 4, 4, 128, context, 2048 // context, 65)
    for context in (64, 128, 256, 512, 1024, 2048)
]

# nanoGPT's CPU configuration for a character model of Tiny Shakespeare.
RUN = Config("run", 4, 4, 128, 64, 12, 65)  # the vocabulary size depends on the text
RECIPE = {
    "steps": 2000,
    "lr": 1e-3,
    "min_lr": 1e-4,
    "warmup": 100,
    "weight_decay": 0.1,
    "beta1": 0.9,
    "beta2": 0.99,
    "clip": 1.0,
    "dropout": 0.0,
    "eval_every": 250,
}
TARGET_LOSS = 1.92
