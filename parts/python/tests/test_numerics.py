"""Tests that ops compute the bits that docs/reference/numerics.md specifies. The rules are written
again in NumPy; only exp and the f64 functions are Tapehead's."""
import numpy as np
import pytest

import tapehead
from tapehead import Tape

f32 = np.float32
RANDOM = np.random.default_rng(7)


def drawn(*shape):
    return RANDOM.normal(size=shape).astype(f32)


def exp(x):
    return np.asarray(tapehead.exp(np.asarray(x, f32)))


def log64(x):
    return np.asarray(tapehead.log(tapehead.tensor(np.asarray(x), "f64")))


def equal(x, right):
    x, right = np.asarray(x), np.asarray(right)
    assert x.dtype == right.dtype and x.shape == right.shape
    np.testing.assert_array_equal(x, right)


def fma(a, b, c):
    """Computes a b + c, rounded once. The product is exact in f64; the sum is rounded to odd."""
    p, c = np.multiply(a, b, dtype=float), np.asarray(c, float)
    total = np.asarray(p + c)
    lost = (p - (total - (total - p))) + (c - (total - p))
    even = total.view(np.int64) % 2 == 0
    moved = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
    return np.where((lost != 0) & even, moved, total).astype(f32)


def test_multiply_adds_are_rounded_once():
    assert fma(f32(1 + 2**-12), f32(1 + 2**-12), f32(2**-60)) == f32(1 + 2**-11 + 2**-23)


# ---- sums

def add_lanes(lanes):
    while lanes.shape[-1] > 1:
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes[..., 0]


def along(x):
    n = x.shape[-1]
    if n > 512:
        first = (n // 512 + 1) // 2 * 512
        return along(x[..., :first]) + along(x[..., first:])
    lanes = np.zeros((*x.shape[:-1], 16), f32)
    for i in range(n):
        lanes[..., i % 16] += x[..., i]
    return add_lanes(lanes)


def down(x):
    if len(x) > 32:
        half = len(x) // 2
        return down(x[:half]) + down(x[half:])
    total = np.zeros(x.shape[1:], f32)
    for row in x:
        total = total + row
    return total


@pytest.mark.parametrize("n", [1, 16, 31, 512, 513, 1300, 5000])
def test_sums(n):
    x = drawn(3, n)
    equal(tapehead.sum(x, axis=-1), along(x))
    equal(tapehead.sum(x.T.copy(), axis=0), down(x.T))
    equal(tapehead.sum(x), along(x.reshape(-1)))
    equal(tapehead.sum(x.T.reshape(n, 3, 1).copy(), axis=[0, 2]), down(x.T))


# ---- matmuls

def matmul(a, b, factor=1, start=0):
    k = a.shape[1]
    length = -(-k // max(-(-k // 256), 1))
    c = np.zeros((len(a), b.shape[1]), f32) + f32(start)
    for first in range(0, k, length):
        total = np.zeros(c.shape, f32)
        for i in range(first, min(first + length, k)):
            total = fma(a[:, i:i + 1], b[i:i + 1], total)
        c = fma(total, f32(factor), c)
    return c


def single_row(a, b, factor=1, start=0):
    """Multiplies a, (1, k), by b, (k, n), which is transposed in memory."""
    lanes = np.zeros((b.shape[1], 16), f32)
    for i in range(len(b)):
        lanes[:, i % 16] = fma(a[0, i], b[i], lanes[:, i % 16])
    return fma(f32(factor), add_lanes(lanes), f32(start))[None]


@pytest.mark.parametrize("k", [1, 3, 256, 257, 700])
def test_matmuls(k):
    a, b, w, bias = drawn(5, k), drawn(k, 7), drawn(7, k), drawn(7)
    equal(tapehead.matmul(a, b), matmul(a, b))
    equal(tapehead.linear(a, w, bias), matmul(a, w.T, 1, bias))
    equal(tapehead.linear(a[:1], w, bias), single_row(a[:1], w.T, 1, bias))
    equal(tapehead.matmul(a[:1], b), matmul(a[:1], b))
    x, dy = tapehead.tensor(a), drawn(5, 7)
    weight, shift = tapehead.tensor(w), tapehead.tensor(bias)
    with Tape(x, weight, shift) as tape:
        y = tapehead.linear(x, weight, shift)
        dx, dw, db = tape.gradients(y, [x, weight, shift], dy=dy)
    equal(dx, matmul(dy, w))
    equal(dw, matmul(dy.T, a))
    equal(db, down(dy))


# ---- norms, GELU and cross-entropy

@pytest.mark.parametrize("rows, width, parts", [(9, 40, 1), (110, 600, 2), (33, 4000, 4)])
def test_layer_norm(rows, width, parts):
    x, gain, bias, dy = drawn(rows, width), drawn(width), drawn(width), drawn(rows, width)
    n = f32(width)
    shift = (along(x) / n)[:, None]
    rest = (along(x - shift) / n)[:, None]
    var = np.maximum((along((x - shift) * (x - shift)) / n)[:, None] - rest * rest, f32(0))
    scale = 1 / np.sqrt(var + f32(1e-5))
    norm = fma(x - shift, scale, -rest * scale)
    slope = (along(dy * gain * norm) / n)[:, None]
    mean = (along(dy * gain) / n)[:, None]
    dgain, dbias = np.zeros(width, f32), np.zeros(width, f32)
    for part in range(parts):
        own_gain, own_bias = np.zeros(width, f32), np.zeros(width, f32)
        for i in range(rows * part // parts, rows * (part + 1) // parts):
            own_gain = fma(dy[i], norm[i], own_gain)
            own_bias = own_bias + dy[i]
        dgain, dbias = dgain + own_gain, dbias + own_bias
    inputs = [tapehead.tensor(each) for each in (x, gain, bias)]
    with Tape(*inputs) as tape:
        y = tapehead.layer_norm(*inputs)
        found = tape.gradients(y, inputs, dy=dy)
    equal(y, fma(norm, gain, bias))
    equal(found[0], (fma(dy, gain, -mean) - norm * slope) * scale)
    equal(found[1], dgain)
    equal(found[2], dbias)


def exp2(x):
    k = np.rint(x)
    r, power = x - k, f32(float.fromhex("0x1.3ec3bp-13"))
    for term in ("0x1.5f0c9ap-10", "0x1.3b31fap-7", "0x1.c6af74p-5", "0x1.ebfbd6p-3",
                 "0x1.62e43p-1"):
        power = fma(power, r, f32(float.fromhex(term)))
    return np.ldexp(fma(power, r, f32(1)), k.astype(int))


def test_gelu():
    x, dy = np.clip(drawn(4000) * 3, -9, 9), drawn(4000)
    a = 2 * np.sqrt(2 / np.pi)
    b, log2_e = 0.044715 * a, 1 / np.log(2)
    p = 1 / (1 + exp2(x * fma(x * x, f32(-b * log2_e), f32(-a * log2_e))))
    given = tapehead.tensor(x)
    with Tape(given) as tape:
        y = tapehead.gelu(given)
        dx, = tape.gradients(y, [given], dy=dy)
    equal(y, x * p)
    slope = p * (1 - p) * fma(x * x, f32(3 * b), f32(a))
    equal(dx, dy * fma(x, slope, p))


@pytest.mark.parametrize("s", [0, 0.1])
def test_cross_entropy(s):
    x, targets, w = drawn(60, 11) * 4, RANDOM.integers(0, 11, 60).astype("int32"), f32(0.3)
    top = x.max(1, keepdims=True)
    e = exp(x - top)
    others = (along(np.where(x < top, e, f32(0))) + (along((x == top).astype(f32)) - 1))[:, None]
    whole = 1 + others.astype(float)[:, 0]
    above = np.where(whole == 1, others[:, 0], log64(whole) * (others[:, 0] / (whole - 1)))
    chosen = np.take_along_axis(x, targets[:, None], 1)
    losses = above + (1 - s) * (top.astype(float) - chosen)[:, 0]
    if s:
        losses = losses + s * along(top - x).astype(float) / 11
    spread = f32(float(w) * s / 11)
    dx = fma(e, (float(w) / (1 + others)).astype(f32), -spread)
    first = (float(w) * (s - (others / (1 + others)).astype(float))).astype(f32) - spread
    other = np.take_along_axis(dx, targets[:, None], 1) - f32(float(w) * (1 - s))
    np.put_along_axis(dx, targets[:, None], np.where(chosen == top, first, other), 1)
    given = tapehead.tensor(x)
    with Tape(given) as tape:
        loss = tapehead.cross_entropy(given, targets, "sum", s)
        found, = tape.gradients(loss, [given], dy=w)
    total = 0.0
    for each in losses:
        total += each
    assert loss.item() == f32(total)
    equal(found, dx)


# ---- attention

def tiles(time, causal):
    """Yields the first query, the first key and the end of the keys of each tile."""
    for first in range(0, time, 32):
        end = min(first + 32, time) if causal else time
        for k0 in range(0, end, 512):
            yield first, k0, min(k0 + 512, end)


def products(queries, keys, factor):
    """Returns factor q k^T, computed with a row for each key."""
    one = single_row if len(keys) == 1 else matmul
    return one(keys, queries.T, factor).T


@pytest.mark.parametrize("time, causal", [(1, True), (33, True), (600, True), (513, False)])
def test_attention(time, causal):
    width = 20
    q, k, v, dy = (drawn(time, width) for _ in range(4))
    factor = f32(1 / np.sqrt(width))
    sees = np.arange(time)[:, None] >= np.arange(time) if causal else np.ones((time, time), bool)
    y, lse = np.zeros((time, width), f32), np.zeros(time, f32)
    dq, dk, dv = (np.zeros((time, width), f32) for _ in range(3))

    def strips(first, k0, end):
        for i in range(first, min(first + 32, time), 16):
            last = min(i + 16, time) - 1
            yield slice(i, last + 1), slice(k0, k0 + int(sees[last, k0:end].sum()))

    for first, k0, end in tiles(time, causal):
        rows = slice(first, min(first + 32, time))
        if k0 == 0:
            top, total = f32(-np.inf), f32(0)
        scores = np.full((time, time), -np.inf, f32)
        scores[rows, k0:end] = products(q[rows], k[k0:end], factor)
        scores[~sees] = -np.inf
        now = np.maximum(top, scores[rows].max(1))
        shrink, e = exp(top - now), np.zeros((time, time), f32)
        e[rows, k0:end] = exp(scores[rows, k0:end] - now[:, None])
        total = total * shrink
        for j in range(k0, end):
            total = total + e[rows, j]
        top = now
        y[rows] *= shrink[:, None]
        for own, seen in strips(first, k0, end):
            y[own] = matmul(e[own, seen], v[seen], 1, y[own])
        if end == time or causal and end == rows.stop:
            y[rows] *= (1 / total)[:, None]
            lse[rows] = top + np.asarray(tapehead.log(total))
    for first, k0, end in tiles(time, causal):
        rows, keys = slice(first, min(first + 32, time)), slice(k0, end)
        p, ds = np.zeros((time, time), f32), np.zeros((time, time), f32)
        p[rows, keys] = exp(products(q[rows], k[keys], factor) - lse[rows, None])
        p[~sees] = 0
        mean = along(dy[rows] * y[rows])[:, None]
        ds[rows, keys] = p[rows, keys] * (products(dy[rows], v[keys], 1) - mean)
        ds[~sees] = 0
        for own, seen in strips(first, k0, end):
            dq[own] = matmul(ds[own, seen], k[seen], factor, dq[own])
        dk[keys] = matmul(ds[rows, keys].T, q[rows], factor, dk[keys])
        dv[keys] = matmul(p[rows, keys].T, dy[rows], 1, dv[keys])

    inputs = [tapehead.tensor(x[None, None]) for x in (q, k, v)]
    with Tape(*inputs) as tape:
        found = tapehead.attention(*inputs, causal=causal)
        gradients = tape.gradients(found, inputs, dy=dy[None, None])
    for each, right in zip([found, *gradients], (y, dq, dk, dv)):
        equal(np.asarray(each)[0, 0], right)


# ---- random numbers and the optimizer

def words(seed, purpose, step, site, example, count):
    """Returns the first words of a sequence of Philox4x32-10."""
    found, mask = [], 2**32 - 1
    for block in range(-(-count // 4)):
        a, b, c, d = block, example, site | purpose << 24, step
        low, high = seed & mask, seed >> 32
        for _ in range(10):
            x, y = 0xD2511F53 * a, 0xCD9E8D57 * c
            a, b, c, d = y >> 32 ^ b ^ low, y & mask, x >> 32 ^ d ^ high, x & mask
            low, high = low + 0x9E3779B9 & mask, high + 0xBB67AE85 & mask
        found += [a, b, c, d]
    return np.array(found[:count])


def test_initial_weights():
    model = tapehead.GPT(11, 6, seed=2**40 + 3, layers=1, heads=2, width=8)
    cos = lambda x: np.asarray(tapehead.cos(tapehead.tensor(x, "f64")))
    for site, name in enumerate(("tokens.weight", "positions.weight")):
        weight = model.parameters[name].value.numpy()
        drawn = words(2**40 + 3, 1, 0, site, 0, 4 * weight.size).reshape(-1, 2)
        uniform = ((drawn[:, 0] >> 5) * 2.0**26 + (drawn[:, 1] >> 6)) / 2.0**53
        u, v = uniform[::2], uniform[1::2]
        normal = np.sqrt(-2 * log64(1 - u)) * cos(2 * np.pi * v)
        equal(weight, (normal.astype(f32) * f32(0.02)).reshape(weight.shape))


def test_dropout():
    x, p = drawn(2, 50), 0.3
    dropped = round(2**16 * p)
    for example, row in enumerate(np.asarray(tapehead.dropout(x, p, seed=9))):
        found = words(9, 4, 1, 1, example, 25)  # the op's own purpose, step and site
        kept = np.stack([found & 0xFFFF, found >> 16], 1).reshape(-1) >= dropped
        equal(row, np.where(kept, x[example] * f32(1 / (1 - dropped / 2**16)), f32(0)))


def test_adamw_and_the_norm_of_gradients():
    x, parts = drawn(3, 50000), drawn(3, 50000)
    p = tapehead.Parameter(x, decay=True)
    rate, beta1, beta2, epsilon, decay, clip = 0.01, 0.9, 0.99, 1e-8, 0.1, 1.0
    optimizer = tapehead.AdamW([p], lr=rate, beta1=beta1, beta2=beta2, eps=epsilon,
                               weight_decay=decay)
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t in (1, 2):
        with Tape() as tape:
            gradients = tape.gradients(tapehead.sum(p * parts))
        blocks = [np.zeros(16) for _ in range(-(-parts.size // 65536))]
        for first, lanes in zip(range(0, parts.size, 65536), blocks):
            block = parts.reshape(-1)[first:first + 65536].astype(float)
            for i in range(0, len(block), 16):
                piece = block[i:i + 16]
                lanes[:len(piece)] += piece * piece
        norm = np.sqrt(sum(sum(lanes) for lanes in blocks))
        assert gradients.norm == norm
        optimizer.step(gradients.clip(clip))
        g = parts * f32(clip / norm)
        m = fma(f32(beta1), m, f32(1 - beta1) * g)
        v = fma(f32(beta2), v, f32(1 - beta2) * g * g)
        step, spread = f32(rate / (1 - beta1**t)), f32(1 / np.sqrt(1 - beta2**t))
        x = fma(f32(1 - rate * decay), x, -(step * m / fma(np.sqrt(v), spread, f32(epsilon))))
        equal(p.value, x)
