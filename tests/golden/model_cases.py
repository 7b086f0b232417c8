"""A GPT in a few lines, and PyTorch's pre-norm transformer layers under Tapehead's names."""
import torch
import torch.nn.functional as F

from golden_file import GoldenFile, normal


def gelu(x):
    return F.gelu(x, approximate="tanh")


def gpt_parameters(vocabulary, context, layers, width):
    p = {"tokens.weight": normal(vocabulary, width), "positions.weight": normal(context, width)}

    def norm(name):
        p[f"{name}.gain"], p[f"{name}.bias"] = normal(width), normal(width, scale=0.5)

    def linear(name, inner, outer):
        p[f"{name}.weight"], p[f"{name}.bias"] = normal(outer, inner, scale=0.5), normal(outer)

    for i in range(layers):
        norm(f"blocks.{i}.attention_norm")
        linear(f"blocks.{i}.attention.qkv", width, 3 * width)
        linear(f"blocks.{i}.attention.out", width, width)
        norm(f"blocks.{i}.mlp_norm")
        linear(f"blocks.{i}.mlp.in", width, 4 * width)
        linear(f"blocks.{i}.mlp.out", 4 * width, width)
    norm("norm")
    return p


def gpt(p, ids, layers, heads):
    """ids (batch, time) -> logits (batch, time, vocabulary)"""
    def norm(name, x):
        return F.layer_norm(x, x.shape[-1:], p[f"{name}.gain"], p[f"{name}.bias"])

    def linear(name, x):
        return F.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])

    x = p["tokens.weight"][ids] + p["positions.weight"][: ids.shape[1]]
    for i in range(layers):
        block = f"blocks.{i}"
        qkv = linear(f"{block}.attention.qkv", norm(f"{block}.attention_norm", x))
        q, k, v = (y.unflatten(-1, (heads, -1)).transpose(1, 2) for y in qkv.chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(f"{block}.attention.out", y.transpose(1, 2).flatten(-2))
        x = x + linear(f"{block}.mlp.out",
                       gelu(linear(f"{block}.mlp.in", norm(f"{block}.mlp_norm", x))))
    return F.linear(norm("norm", x), p["tokens.weight"])


def gpt_case(file):
    sizes = {"vocabulary": 7, "context": 6, "layers": 2, "heads": 2, "width": 4}
    file.case("gpt", kind="gpt", **sizes)
    p = gpt_parameters(sizes["vocabulary"], sizes["context"], sizes["layers"], sizes["width"])
    ids, targets = torch.randint(7, (2, 5)), torch.randint(7, (2, 5))
    targets[1, 3] = -1
    logits = gpt(p, ids, sizes["layers"], sizes["heads"])
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
    loss.backward()
    file.add(ids=ids, targets=targets, logits=logits, loss=loss)
    file.add_named(p, "state.")
    file.add_named({k: x.grad for k, x in p.items()}, "d.")


def shifted_patches(images, side):
    """Cuts images (batch, channels, rows, columns) into patches (batch, patches, 5 side^2 channels):
    of each image and of four copies shifted diagonally by half a patch, padded with zeros (Lee, Lee and Song)."""
    half, (rows, columns) = side // 2, images.shape[-2:]
    wide = F.pad(images, (half,) * 4)
    shifts = [wide[..., half - y : half - y + rows, half - x : half - x + columns]
              for y, x in ((0, 0), (-half, -half), (-half, half), (half, -half), (half, half))]
    all = torch.cat(shifts, 1)
    return (F.unfold(all, side, stride=side).unflatten(1, (all.shape[1], side * side))
            .permute(0, 3, 2, 1).flatten(2))


def vit_case(file):
    """A vision transformer of one block, with shifted patches, a class token, and locality
    self-attention: a learned scale per head, and tokens don't attend to themselves."""
    rows, columns, channels, side, levels, classes, heads, width = 4, 6, 3, 2, 9, 4, 2, 4
    file.case("vit", kind="vit", rows=rows, columns=columns, channels=channels, side=side,
              levels=levels, classes=classes, heads=heads, width=width)
    levels_seen = torch.randint(levels, (2, rows, columns, channels))
    labels = torch.randint(classes, (2,))
    inner = side * side * 5 * channels
    tokens = rows * columns // side**2 + 1
    p = {"patches.norm.gain": normal(inner), "patches.norm.bias": normal(inner, scale=0.5),
         "patches.map.weight": normal(width, inner, scale=0.3), "patches.map.bias": normal(width),
         "class_token": normal(width), "positions.weight": normal(tokens, width)}
    block = {k: v for k, v in gpt_parameters(1, 1, 1, width).items()
             if k.startswith(("blocks", "norm"))}
    p |= block | {"blocks.0.attention.scale": normal(heads),
                  "head.weight": normal(classes, width), "head.bias": normal(classes)}

    def norm(name, x):
        return F.layer_norm(x, x.shape[-1:], p[f"{name}.gain"], p[f"{name}.bias"])

    def linear(name, x):
        return F.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])

    images = (2 * levels_seen / (levels - 1) - 1).permute(0, 3, 1, 2)
    x = linear("patches.map", norm("patches.norm", shifted_patches(images, side)))
    x = torch.cat([p["class_token"].expand(2, 1, width), x], 1) + p["positions.weight"]
    qkv = linear("blocks.0.attention.qkv", norm("blocks.0.attention_norm", x))
    q, k, v = (y.unflatten(-1, (heads, -1)).transpose(1, 2) for y in qkv.chunk(3, -1))
    scores = q @ k.transpose(-1, -2) * p["blocks.0.attention.scale"][:, None, None]
    weights = scores.masked_fill(torch.eye(tokens, dtype=torch.bool), -torch.inf).softmax(-1)
    x = x + linear("blocks.0.attention.out", (weights @ v).transpose(1, 2).flatten(-2))
    x = x + linear("blocks.0.mlp.out",
                   gelu(linear("blocks.0.mlp.in", norm("blocks.0.mlp_norm", x))))
    logits = linear("head", norm("norm", x)[:, 0])
    loss = F.cross_entropy(logits, labels)
    loss.backward()
    file.add(ids=levels_seen.flatten(1) + classes, labels=labels, logits=logits, loss=loss)
    file.add_named(p, "state.")
    file.add_named({k: x.grad for k, x in p.items()}, "d.")


def renamed(tensors, names):
    """Maps PyTorch's names to Tapehead's; splits the joint projection of cross-attention."""
    result = {}
    for name, x in tensors.items():
        module, _, rest = name.partition(".")
        if module in ("self_attn", "multihead_attn") and rest.startswith("in_proj"):
            ending = rest.removeprefix("in_proj_")
            if names[module] == "attention":
                result[f"attention.qkv.{ending}"] = x
            else:
                for part, y in zip(("query", "key", "value"), x.chunk(3)):
                    result[f"{names[module]}.{part}.{ending}"] = y
        elif "norm" in module:
            result[f"{names[module]}.{'gain' if rest == 'weight' else rest}"] = x
        else:
            result[f"{names[module]}.{rest.replace('out_proj', 'out')}"] = x
    return result


def layer_case(file, name, kind, names, call, **tensors):
    """A layer of torch.nn, called as call(layer, x, ...)."""
    file.case(name, kind="block", heads=2, width=4, cross="cross" in names.values())
    layer = kind(4, 2, dim_feedforward=16, dropout=0.0, activation=gelu, batch_first=True,
                 norm_first=True)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    inputs = {k: normal(*x) if isinstance(x, tuple) else x for k, x in tensors.items()}
    padding = inputs.pop("padding", None)
    file.differentiate(call(layer, padding, **inputs), inputs)
    file.add(padding=padding)
    parameters = dict(layer.named_parameters())
    file.add_named(renamed(parameters, names), "state.")
    file.add_named(renamed({k: p.grad for k, p in parameters.items()}, names), "d.")


def vit_file():
    f = GoldenFile("vit")
    vit_case(f)
    f.write()


def model_file():
    f = GoldenFile("models")
    gpt_case(f)
    both = {"self_attn": "attention", "norm1": "attention_norm", "linear1": "mlp.in",
            "linear2": "mlp.out"}
    layer_case(f, "encoder_layer", torch.nn.TransformerEncoderLayer, {**both, "norm2": "mlp_norm"},
               lambda layer, padding, x: layer(x, src_key_padding_mask=padding),
               x=(2, 4, 4), padding=torch.tensor([[False] * 4, [False, False, True, True]]))
    causal = torch.nn.Transformer.generate_square_subsequent_mask(3).isneginf()
    layer_case(f, "decoder_layer", torch.nn.TransformerDecoderLayer,
               {**both, "multihead_attn": "cross", "norm2": "cross_norm", "norm3": "mlp_norm"},
               lambda layer, padding, x, source: layer(x, source, tgt_mask=causal,
                                                       memory_key_padding_mask=padding),
               x=(2, 3, 4), source=(2, 5, 4),
               padding=torch.tensor([[False] * 4 + [True], [False, True, False, False, False]]))
    f.write()
