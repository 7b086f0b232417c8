"""Tapehead's task `text` in PyTorch: characters of a file, of which the first nine tenths are for
training."""
import math
import time

import torch
from torch_gpt import GPT, adamw, load_tapehead, training_step


class Text:
    def __init__(self, path, context):
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        characters = sorted(set(text))
        numbers = {character: number for number, character in enumerate(characters)}
        self.vocabulary, self.context = len(characters), context
        self.ids = torch.tensor([numbers[character] for character in text])
        self.training_size = len(text) * 9 // 10

    def batch(self, size):  # -> inputs and targets, (size, context) each
        first = torch.randint(self.training_size - self.context, (size, 1))
        windows = self.ids[first + torch.arange(self.context + 1)]
        return windows[:, :-1], windows[:, 1:]

    @torch.no_grad()
    def held_out_loss(self, model):
        """Returns the loss over the whole validation tenth. Windows overlap by one character, so
        each character except the first is a target once. The last window may be shorter."""
        model.eval()
        ids = self.ids[self.training_size :]
        count, whole = len(ids) - 1, (len(ids) - 1) // self.context * self.context
        inputs, targets = (x.view(-1, self.context) for x in (ids[:whole], ids[1 : whole + 1]))
        total = 0.0
        for some, wanted in zip(inputs.split(64), targets.split(64)):
            total += model(some, wanted).item() * wanted.numel()
        if whole < count:
            total += model(ids[None, whole:-1], ids[None, whole + 1 :]).item() * (count - whole)
        model.train()
        return total / count


def learning_rate(recipe, step):
    """Returns the learning rate of a step: linear warmup, then half a cosine."""
    lr, low, warmup = recipe["lr"], recipe["min_lr"], recipe["warmup"]
    if step < warmup:
        return lr * (step + 1) / (warmup + 1)
    part = (step - warmup) / (recipe["steps"] - warmup)
    return low + 0.5 * (1 + math.cos(math.pi * part)) * (lr - low)


def train(config, recipe, path, seed):
    """Trains, and returns [{step, seconds, val_loss}]. The time starts when text, model and
    optimizer are ready. It includes evaluations, as in a Tapehead run."""
    torch.manual_seed(seed)
    text = Text(path, config.context)
    model = GPT(config, recipe["dropout"])
    betas = (recipe["beta1"], recipe["beta2"])
    optimizer = adamw(model, recipe["lr"], betas, recipe["weight_decay"])
    evaluations = []
    start = time.perf_counter()
    for step in range(recipe["steps"]):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(recipe, step)
        training_step(model, optimizer, *text.batch(config.batch), recipe["clip"])
        if (step + 1) % recipe["eval_every"] == 0 or step + 1 == recipe["steps"]:
            loss = text.held_out_loss(model)
            seconds = time.perf_counter() - start
            evaluations.append({"step": step + 1, "seconds": seconds, "val_loss": loss})
    return evaluations


def evaluate(config, path, weights):
    """Returns the validation loss of a model trained by Tapehead."""
    model = GPT(config)
    load_tapehead(model, weights)
    return Text(path, config.context).held_out_loss(model)
