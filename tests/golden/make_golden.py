#!/usr/bin/env python3
"""Creates the golden values of the tests: cases computed by PyTorch 2 in f64.

    python3 -B tests/golden/make_golden.py

Needs torch, and nothing else; the tests need only the files. Every case is drawn from a seed made
of its own name, so that cases can be added without changing the others.
"""
import torch
import torch.nn.functional as F

from attention_cases import attention_file, mha_file
from golden_file import GoldenFile, normal
from model_cases import model_file, vit_file
from zoo_cases import zoo_file


def alibi_slopes(heads):
    """Returns 2^(-8/n), 2^(-16/n), ... for n heads if n is a power of two. Otherwise returns the
    slopes for the next lower power, then every second slope for the next higher one (Press et al.)."""
    power = 1 << (heads.bit_length() - 1)
    first = [2.0 ** (-8 * h / power) for h in range(1, power + 1)]
    above = [2.0 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1)]
    return first + above[0::2][: heads - power]


def t5_bucket(distance, two_sided, buckets, max_distance):
    """exact + floor(log(away / exact) / log(max / exact) * (side - exact)), at most side - 1
    (Raffel et al.), in whole numbers: the floor is the largest m that has
    (away / exact)^(side - exact) >= (max / exact)^m."""
    side = buckets // 2 if two_sided else buckets
    start = side if two_sided and distance > 0 else 0
    away = abs(distance) if two_sided else max(-distance, 0)
    exact = side // 2
    if away < exact:
        return start + away
    n, m = side - exact, 0
    while exact + m < side - 1 and away**n * exact ** (m + 1) >= max_distance ** (m + 1) * exact**n:
        m += 1
    return start + exact + m


def rotate_half(x, first, base):
    """x (batch, time, heads, width) rotated by position: x cos + (-x2, x1) sin."""
    width = x.shape[-1]
    angle = torch.arange(first, first + x.shape[1])[:, None] * base ** (
        -torch.arange(0, width, 2) / width)
    angle = torch.cat([angle, angle], -1)[:, None]  # (time, 1, width)
    x1, x2 = x.chunk(2, -1)
    return x * angle.cos() + torch.cat([-x2, x1], -1) * angle.sin()


def rotary(file, name, heads, width, rest=0, first=0, base=10000.0):
    file.case(name, kind="rotary", heads=heads, width=width, first=first, base=base)
    x = normal(2, 5, heads * width + rest)
    turned = rotate_half(x[..., : heads * width].unflatten(-1, (heads, width)), first, base)
    file.differentiate(torch.cat([turned.flatten(-2), x[..., heads * width :]], -1), {"x": x})


def layer_norm(file, name, *shape, affine=True, epsilon=1e-5):
    file.case(name, kind="layer_norm", epsilon=epsilon)
    x = (torch.randn(*shape) * 3 + 2).requires_grad_()
    gain, bias = (normal(shape[-1]), normal(shape[-1])) if affine else (None, None)
    y = F.layer_norm(x, shape[-1:], gain, bias, epsilon)
    file.differentiate(y, {"x": x, "gain": gain, "bias": bias})


def cross_entropy(file, name, ignored=-100, label_smoothing=0.0, reduction="mean"):
    file.case(name, kind="cross_entropy", ignored=ignored, label_smoothing=label_smoothing,
              sum=reduction == "sum")
    logits, targets = normal(2, 3, 7, scale=2), torch.randint(7, (2, 3))
    targets[0, 1] = targets[1, 2] = ignored
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=ignored,
                           label_smoothing=label_smoothing, reduction=reduction)
    file.differentiate(loss, {"logits": logits, "targets": targets})


def function_file():
    f = GoldenFile("functions")
    layer_norm(f, "layer_norm", 2, 3, 11)
    layer_norm(f, "layer_norm_epsilon", 4, 5, epsilon=0.3)
    layer_norm(f, "layer_norm_plain", 3, 16, affine=False)
    for form, approximate in (("tanh", "tanh"), ("erf", "none")):
        f.case(f"gelu_{form}", kind="gelu", erf=form == "erf")
        x = torch.cat([torch.randn(30) * 2, torch.tensor([-9.0, -5, 0, 1e-9, 5, 9])])
        x.requires_grad_()
        f.differentiate(F.gelu(x, approximate=approximate), {"x": x})
    cross_entropy(f, "cross_entropy")
    cross_entropy(f, "cross_entropy_sum", ignored=-1, reduction="sum")
    cross_entropy(f, "cross_entropy_smooth", label_smoothing=0.2)
    cross_entropy(f, "cross_entropy_smooth_sum_ignores_a_class", ignored=0, label_smoothing=0.1,
                  reduction="sum")
    rotary(f, "rotary", heads=2, width=6)
    rotary(f, "rotary_later", heads=1, width=18, rest=5, first=1000, base=500.0)
    for two_sided in (True, False):
        for buckets, max_distance in ((32, 128), (16, 100), (12, 20)):
            f.case(f"t5_{'two' if two_sided else 'one'}_sided_{buckets}_{max_distance}", kind="t5",
                   first=-140, two_sided=two_sided, buckets=buckets, max_distance=max_distance)
            f.add(ids=torch.tensor([t5_bucket(distance, two_sided, buckets, max_distance)
                                    for distance in range(-140, 141 if two_sided else 3)]))
    for heads in (8, 12):
        f.case(f"alibi_{heads}", kind="alibi")
        f.add(slopes=torch.tensor(alibi_slopes(heads)))
    f.write()


def optimizer(file, name, make, moments, **options):
    """Ten steps with given gradients and decreasing rates, of `decayed`, with weight decay, and `other`."""
    file.case(name, kind=name.split("_")[0], **options)
    parameters = {"decayed": normal(11), "other": normal(2, 3)}
    file.add_named({k: p.clone() for k, p in parameters.items()}, "start.")
    groups = [{"params": [parameters["decayed"]]},
              {"params": [parameters["other"]], "weight_decay": 0.0}]
    optimizer = make(groups, foreach=False, **options)
    rates = [options["lr"] * (1 - t / 20) for t in range(10)]
    gradients = {k: torch.randn(10, *p.shape) for k, p in parameters.items()}
    steps = {k: [] for k in parameters}
    for t, rate in enumerate(rates):
        for group in optimizer.param_groups:
            group["lr"] = rate
        for k, p in parameters.items():
            p.grad = gradients[k][t].clone()
        optimizer.step()
        for k, p in parameters.items():
            steps[k].append(p.detach().clone())
    file.add(lr=torch.tensor(rates))
    file.add_named(gradients, "gradient.")
    file.add_named({k: torch.stack(s) for k, s in steps.items()}, "value.")
    for ours, theirs in moments.items():
        file.add_named({k: optimizer.state[p][theirs] for k, p in parameters.items()}, f"{ours}.")


def optimizer_file():
    f = GoldenFile("optimizers")
    adam = {"first": "exp_avg", "second": "exp_avg_sq"}
    optimizer(f, "adamw", torch.optim.AdamW, adam, lr=0.05, betas=(0.8, 0.95), eps=1e-8,
              weight_decay=0.3)
    optimizer(f, "adamw_large_epsilon", torch.optim.AdamW, adam, lr=0.01, betas=(0.9, 0.999),
              eps=0.5, weight_decay=0.1)
    optimizer(f, "sgd_momentum", torch.optim.SGD, {"velocity": "momentum_buffer"}, lr=0.1,
              momentum=0.9, weight_decay=0.2)
    f.write()


if __name__ == "__main__":
    mha_file()
    attention_file(alibi_slopes)
    function_file()
    optimizer_file()
    model_file()
    vit_file()
    zoo_file()
