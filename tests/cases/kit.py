"""Files as other programs write them: small GPT-2 models from the hub, and image arrays."""
import json
import math
import struct
from pathlib import Path

import numpy as np

WIDTH, LAYERS, HEADS, CONTEXT = 32, 2, 4, 32
MERGES = ["t h", "th e", "Ġ the", "a t", "h at", "Ġ hat", "i n"]
END, PAD = "<|endoftext|>", "<|pad|>"


def byte_names():
    """Returns GPT-2's character for each byte: itself if printable, otherwise from U+0100 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return {b: chr(b if b in plain else next(others)) for b in range(256)}


NAME = byte_names()


def vocabulary(trained, pad):
    """Returns the tokens by id: GPT-2's order, or the order of a trained tokenizer."""
    merged = [pair.replace(" ", "") for pair in MERGES]
    if trained:
        return [END, *sorted(NAME.values()), *merged] + [PAD] * pad
    plain = sorted(NAME.values(), key=lambda c: (ord(c) > 255, ord(c)))
    return [*plain, *merged, END] + [PAD] * pad


def weights(tokens, head):
    draw = np.random.default_rng(0)
    n = lambda *shape: draw.normal(0, 0.2, shape).astype("<f4")
    norm = lambda name: {f"{name}.weight": 1 + n(WIDTH), f"{name}.bias": n(WIDTH)}
    linear = lambda name, a, b: {f"{name}.weight": n(a, b), f"{name}.bias": n(b)}
    all = {"wte.weight": n(tokens, WIDTH), "wpe.weight": n(CONTEXT, WIDTH), **norm("ln_f")}
    for h in (f"h.{i}." for i in range(LAYERS)):
        all |= norm(h + "ln_1") | norm(h + "ln_2")
        all |= linear(h + "attn.c_attn", WIDTH, 3 * WIDTH) | linear(h + "attn.c_proj", WIDTH, WIDTH)
        all |= linear(h + "mlp.c_fc", WIDTH, 4 * WIDTH) | linear(h + "mlp.c_proj", 4 * WIDTH, WIDTH)
    if head:
        all["lm_head.weight"] = all["wte.weight"] if head == "same" else n(tokens, WIDTH)
    return all


class Gpt2:
    """Writes such a model into a folder, and computes its expected output."""

    def __init__(self, folder, trained=False, pad=0, rows=0, head="", tied=True, nan=False,
                 only_json=False):
        self.tokens = vocabulary(trained, pad)
        self.weights = weights(max(rows, len(self.tokens)), head)
        self.head = self.weights["wte.weight" if tied else "lm_head.weight"]
        if nan:
            self.weights["ln_f.bias"][3] = np.nan
        folder = Path(folder)
        folder.mkdir()
        self.write_weights(folder / "model.safetensors")
        self.write_json(folder / "config.json", {
            "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": WIDTH,
            "vocab_size": len(self.weights["wte.weight"]), "n_positions": CONTEXT,
            "n_ctx": CONTEXT, "n_layer": LAYERS, "n_head": HEADS, "layer_norm_epsilon": 1e-5,
            "activation_function": "gelu_new", "tie_word_embeddings": tied})
        self.write_tokens(folder, only_json)

    @staticmethod
    def write_json(path, content):
        path.write_text(json.dumps(content, ensure_ascii=False))

    def write_weights(self, path):
        header, data = {}, b""
        for name, x in self.weights.items():
            name = name if name == "lm_head.weight" else "transformer." + name
            header[name] = {"dtype": "F32", "shape": x.shape,
                            "data_offsets": [len(data), len(data) + x.nbytes]}
            data += x.tobytes()
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)

    def write_tokens(self, folder, only_json):
        ids = {token: i for i, token in enumerate(self.tokens)}
        vocab = {token: i for token, i in ids.items() if token != PAD}
        added = [{"id": ids[t], "content": t, "special": True} for t in (END, PAD) if t in ids]
        level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
        self.write_json(folder / "tokenizer.json", {
            "version": "1.0", "added_tokens": added, "pre_tokenizer": level, "decoder": level,
            "model": {"type": "BPE", "vocab": vocab, "merges": MERGES}})
        if not only_json:
            self.write_json(folder / "vocab.json", vocab)
            (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *MERGES, ""]))

    def encoded(self, text):
        """Applies the merges in order, to words of letters with an optional space before them."""
        parts = [NAME[b] for b in text.encode()]
        for pair in MERGES:
            at = 0
            while at + 1 < len(parts):
                if parts[at] + " " + parts[at + 1] == pair:
                    parts[at:at + 2] = ["".join(parts[at:at + 2])]
                at += 1
        return [self.tokens.index(part) for part in parts]

    def shown(self, ids):
        byte = {name: b for b, name in NAME.items()}
        text = b""
        for token in (self.tokens[i] if i < len(self.tokens) else f"[{i}]" for i in ids):
            whole = all(c in byte for c in token) and token not in (END, PAD)
            text += bytes(byte[c] for c in token) if whole else token.encode()
        return text.decode(errors="replace")

    def logits(self, ids):
        w, time = self.weights, len(ids)
        linear = lambda x, name: x @ w[name + ".weight"] + w[name + ".bias"]

        def norm(x, name):
            x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
            return x * w[name + ".weight"] + w[name + ".bias"]

        def gelu(x):
            return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

        x = w["wte.weight"].astype("f8")[ids] + w["wpe.weight"][:time]
        for h in (f"h.{i}." for i in range(LAYERS)):
            heads = linear(norm(x, h + "ln_1"), h + "attn.c_attn").reshape(time, 3, HEADS, -1)
            q, k, v = heads.transpose(1, 2, 0, 3)  # (heads, time, width of a head)
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)
            scores[:, ~np.tri(time, dtype=bool)] = -np.inf
            seen = np.exp(scores - scores.max(-1, keepdims=True))
            y = seen / seen.sum(-1, keepdims=True) @ v
            x = x + linear(y.transpose(1, 0, 2).reshape(time, WIDTH), h + "attn.c_proj")
            x = x + linear(gelu(linear(norm(x, h + "ln_2"), h + "mlp.c_fc")), h + "mlp.c_proj")
        return norm(x[-1], "ln_f") @ self.head.T

    def greedy(self, prompt, count):
        ids = self.encoded(prompt)
        for _ in range(count):
            ids.append(int(self.logits(ids[-CONTEXT:])[:len(self.tokens)].argmax()))
        return self.shown(ids)


def idx(path, array):
    """Writes an array in MNIST's format: u1 or big-endian i4."""
    array = np.asarray(array)
    code = 8 if array.dtype == "u1" else 12
    header = bytes([0, 0, code, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    Path(path).write_bytes(header + array.astype(">u1" if code == 8 else ">i4").tobytes())
