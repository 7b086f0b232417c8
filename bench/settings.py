"""What is measured: sizes of models and batches, cases, and the setting of the whole run."""
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Config:
    """A GPT-2 and its batch. Its name is the one in `tapehead bench`."""

    name: str
    layers: int
    heads: int
    width: int
    context: int
    batch: int
    vocabulary: int

    @property
    def parameters(self):
        """The head is tied; biases everywhere; two norms per block and a final one."""
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

# The variants of `tapehead bench`, and the PyTorch cases compared with each; the best is quoted.
VARIANTS = {
    "plain": ("plain",),
    "dropout": ("dropout",),
    "options": (),  # Tapehead's own: learned temperatures, rotary positions, half the kv heads
}
DROPOUT = 0.1

# Steps at growing context: the width and layers of `cpu`, always equally many tokens per step.
GROWTH = [
    Config("cpu", 4, 4, 128, context, 2048 // context, 65)
    for context in (64, 128, 256, 512, 1024, 2048)
]

# The published CPU setting of a character model on Tiny Shakespeare.
RUN = Config("run", 4, 4, 128, 64, 12, 65)  # the vocabulary is the file's
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
