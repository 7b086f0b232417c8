#!/usr/bin/env python3
"""Writes tests/golden/gpt2: a small GPT-2 with random weights in the format of transformers, and its
logits for some tokens. Needs torch 2 and transformers; downloads nothing."""
import json
import os

os.environ["HF_HUB_OFFLINE"] = "1"
import numpy
import torch
import transformers

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpt2")
MERGES = ["Ġ t", "h e", "Ġt he", "Ġ a", "i n"]


def main():
    torch.manual_seed(28)
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in printable]
    names = [chr(byte) for byte in printable] + [chr(256 + i) for i in range(len(hidden))]
    names += ["".join(merge.split(" ")) for merge in MERGES] + ["<|endoftext|>"]
    config = transformers.GPT2Config(
        vocab_size=len(names), n_positions=16, n_embd=12, n_layer=2, n_head=2, n_inner=20,
        layer_norm_epsilon=1e-3, bos_token_id=len(names) - 1, eos_token_id=len(names) - 1)
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    model.save_pretrained(FOLDER)
    os.remove(os.path.join(FOLDER, "generation_config.json"))
    with open(os.path.join(FOLDER, "vocab.json"), "w") as file:
        json.dump({name: i for i, name in enumerate(names)}, file)
    with open(os.path.join(FOLDER, "merges.txt"), "w") as file:
        file.write("\n".join(["#version: 0.2", *MERGES, ""]))
    inputs = torch.randint(0, len(names), (2, 16))
    with torch.no_grad():
        logits = model(inputs).logits
    numpy.save(os.path.join(FOLDER, "inputs.npy"), inputs.numpy().astype("int32"))
    numpy.save(os.path.join(FOLDER, "logits.npy"), logits.numpy())


if __name__ == "__main__":
    main()
