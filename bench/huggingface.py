#!/usr/bin/env python3
"""Checks import and export of GPT-2 models against transformers. transformers writes models of 2 to
12 layers with random weights, and `tapehead import` reads them. Both programs must compute the same
logits, loss and 100 tokens of greedy decoding. Then `tapehead export` writes the models again. The
tensors must be the same byte for byte, and transformers must compute the same results from them.
Models trained by Tapehead are exported and compared in the same way. Needs torch and transformers;
downloads nothing. Prints a line for each model, and fails if something differs."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import numpy
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.utils import logging

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAPEHEAD = os.path.join(ROOT, "build/release/bin/tapehead")
DATA = os.path.join(ROOT, "CHANGELOG.md")
PROMPT = "Attention is"
LARGEST = 1e-4  # largest allowed difference of two logits

# Options of GPT2Config, the file format (`weights`), and the number of BPE merges (`merges`).
MODELS = {
    "2 layers": dict(n_layer=2, n_head=2, n_embd=64),
    "3 layers, ReLU": dict(n_layer=3, n_head=3, n_embd=48, activation_function="relu"),
    "4 layers, GELU by erf": dict(n_layer=4, n_head=4, n_embd=64, activation_function="gelu"),
    "pytorch_tanh": dict(n_layer=2, n_head=2, n_embd=64, activation_function="gelu_pytorch_tanh"),
    "inner width, epsilon": dict(n_layer=2, n_head=1, n_embd=32, n_inner=80,
                                 layer_norm_epsilon=1e-3),
    "scores unscaled": dict(n_layer=2, n_head=2, n_embd=32, scale_attn_weights=False),
    "scores by layer": dict(n_layer=5, n_head=2, n_embd=32, scale_attn_by_inverse_layer_idx=True),
    "head of its own": dict(n_layer=2, n_head=2, n_embd=64, tie_word_embeddings=False),
    "8 layers in shards": dict(n_layer=8, n_head=8, n_embd=128, weights="shards"),
    "without prefix, masks": dict(n_layer=2, n_head=2, n_embd=64, weights="bare"),
    "f16": dict(n_layer=3, n_head=2, n_embd=64, weights="f16"),
    "bf16": dict(n_layer=3, n_head=2, n_embd=64, weights="bf16"),
    "12 layers, all tokens": dict(n_layer=12, n_head=12, n_embd=192, merges=50000),
}


def tapehead(*words):
    done = subprocess.run([TAPEHEAD, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tapehead {' '.join(words)}: {done.stderr}")
    return done.stdout


def write_tokenizer(folder, merges):
    """Writes vocab.json and merges.txt for these merges, and returns the vocabulary size."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in printable]
    names = [chr(byte) for byte in printable] + [chr(256 + i) for i in range(len(hidden))]
    names += ["".join(merge.split(" ")) for merge in merges] + ["<|endoftext|>"]
    with open(os.path.join(folder, "vocab.json"), "w") as file:
        json.dump({name: i for i, name in enumerate(names)}, file)
    with open(os.path.join(folder, "merges.txt"), "w") as file:
        file.write("\n".join(["#version: 0.2", *merges, ""]))
    return len(names)


def make(folder, all_merges, seed, weights="f32", merges=1000, **options):
    """Writes a random model with transformers. Returns it, rounded to the file's precision."""
    torch.manual_seed(seed)
    os.makedirs(folder)
    size = write_tokenizer(folder, all_merges[:merges])
    end = dict(bos_token_id=size - 1, eos_token_id=size - 1)
    config = transformers.GPT2Config(vocab_size=size, n_positions=256, **end, **options)
    model = transformers.GPT2LMHeadModel(config)
    with torch.no_grad():  # add noise, about as large as the changes by training
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    if weights in ("f16", "bf16"):
        model = model.to(torch.float16 if weights == "f16" else torch.bfloat16)
    model.save_pretrained(folder, max_shard_size="200KB" if weights == "shards" else "5GB")
    if weights == "bare":
        path = os.path.join(folder, "model.safetensors")
        tensors = {name.replace("transformer.", ""): x for name, x in load_file(path).items()}
        for layer in range(config.n_layer):
            tensors[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 8, 8, dtype=torch.uint8).tril()
            tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
        save_file(tensors, path, {"format": "pt"})
    return model.float().eval()


def tensors_of(folder):
    names = [name for name in os.listdir(folder) if name.endswith(".safetensors")]
    tensors = {}
    for name in names:
        tensors.update(load_file(os.path.join(folder, name)))
    return tensors


def same_tensors(a, b):
    bare = [{name.replace("transformer.", ""): x for name, x in tensors.items()
             if ".attn.bias" not in name and ".attn.masked_bias" not in name}
            for tensors in (a, b)]
    return bare[0].keys() == bare[1].keys() and all(
        torch.equal(x.float(), bare[1][name]) for name, x in bare[0].items())


def compare(model, tokenizer, run):
    """Returns the largest difference of the logits, the difference of the losses, and whether the
    generated text is the same."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "p.npz")
        words = ["--data", DATA, "--examples", "4"]
        loss = json.loads(tapehead("eval", run, *words, "--predictions", path, "--json"))["loss"]
        ours = numpy.load(path)
        inputs, targets = (torch.tensor(ours[name]).long() for name in ("inputs", "targets"))
    with torch.no_grad():
        logits = model(inputs.clamp(min=0)).logits
        theirs = torch.nn.functional.cross_entropy(
            logits.double().flatten(0, 1), targets.flatten(), ignore_index=-1).item()
        prompt = tokenizer(PROMPT, return_tensors="pt").input_ids
        ids = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=100,
                             do_sample=False, eos_token_id=None, pad_token_id=0)[0]
    known = (targets >= 0)[..., None]
    apart = ((logits - torch.tensor(ours["logits"])).abs() * known).max().item()
    sample = json.loads(tapehead("sample", run, "--prompt", PROMPT, "--temperature", "0",
                                 "--tokens", "100", "--json"))["prompts"][0]["samples"][0]
    text = tokenizer.decode(ids[prompt.shape[1]:], clean_up_tokenization_spaces=False)
    return apart, abs(loss - theirs), sample["text"] == text and len(sample["tokens"]) == 100


def load(folder):
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


def report(name, results):
    """Prints the results of a model. Returns whether all are as expected."""
    right = all(apart <= LARGEST and loss <= LARGEST and text
                for apart, loss, text in results["compared"]) and results.get("tensors", True)
    shown = " · ".join(f"logits within {apart:.1e}, loss {loss:.1e}, text "
                       f"{'same' if text else 'DIFFERS'}"
                       for apart, loss, text in results["compared"])
    tensors = {True: " · same tensors", False: " · TENSORS DIFFER", None: ""}
    print(f"{name:24}{shown}{tensors[results.get('tensors')]}", flush=True)
    return right


def both_ways(name, options, all_merges, scratch, seed):
    place = os.path.join(scratch, str(seed))
    there, run, back = (os.path.join(place, part) for part in ("hub", "run", "back"))
    model = make(there, all_merges, seed, **options)
    tokenizer = transformers.AutoTokenizer.from_pretrained(there)
    tapehead("import", there, "--out", run)
    compared = [compare(model, tokenizer, run)]
    tapehead("export", run, "--format", "huggingface", back)
    compared.append(compare(*load(back), run))
    return report(name, {"compared": compared,
                         "tensors": same_tensors(tensors_of(there), tensors_of(back))})


def trained(tokens, scratch):
    run, folder = os.path.join(scratch, tokens, "run"), os.path.join(scratch, tokens, "hub")
    tapehead("train", "text", "--data", DATA, "--tokens", tokens, "--steps", "20", "--layers", "2",
             "--width", "64", "--context", "128", "--out", run)
    tapehead("export", run, "--format", "huggingface", folder)
    return report(f"trained on {tokens}", {"compared": [compare(*load(folder), run)]})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("merges", metavar="merges.txt", help="GPT-2's list of merges")
    with open(parser.parse_args().merges) as file:
        all_merges = [line for line in file.read().split("\n")
                      if line and not line.startswith("#version")]
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    with tempfile.TemporaryDirectory() as scratch:
        right = [both_ways(name, options, all_merges, scratch, seed)
                 for seed, (name, options) in enumerate(MODELS.items())]
        right += [trained(tokens, scratch) for tokens in ("bpe", "bytes")]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
