# ---- Chapter 2: ops

# Given: arithmetic in Tapehead's order and rounding. You may use NumPy's instead, as in a @ b or
# np.exp(x); then the last bits differ.


def fma(a, b, c):
    """a * b + c, rounded once (a fused multiply-add). The arguments are float32 arrays."""
    product = np.multiply(a, b, dtype=np.float64)  # exact
    total = product + c
    # Rounding to float64 and then to float32 goes wrong only halfway between two float32 numbers.
    tie = (total.view(np.int64) & 0x1FFFFFFF) == 0x10000000
    if tie.any():
        part = total - product
        lost = (product - (total - part)) + (c - part)
        total = np.where(tie & (lost != 0), np.nextafter(total, np.copysign(np.inf, lost)), total)
    return np.float32(total)


def product(a, b):
    """The matmul of a (m, k) and b (k, n): each sum adds its terms in order, from 0, with fma."""
    parts = -(-a.shape[1] // 256)  # longer sums are split, and the parts are added
    size = -(-a.shape[1] // parts)
    y = np.zeros((len(a), b.shape[1]), np.float32)
    for begin in range(0, a.shape[1], size):
        total = np.zeros_like(y)
        for k in range(begin, min(begin + size, a.shape[1])):
            total = fma(a[:, k : k + 1], b[k], total)
        y = y + total
    return y


def sum_last(x):
    """Sums along the last axis (at most 512), which is kept. Element i goes to sum i % 16."""
    pad = -x.shape[-1] % 16
    x = np.concatenate([x, np.zeros(x.shape[:-1] + (pad,), np.float32)], -1)
    lanes = np.zeros(x.shape[:-1] + (16,), np.float32)
    for begin in range(0, x.shape[-1], 16):
        lanes = lanes + x[..., begin : begin + 16]
    while lanes.shape[-1] > 1:  # then the second half is added to the first
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes


def numbers(text):
    return [np.float32(float.fromhex(word)) for word in text.split()]


def polynomial(x, terms):
    y = np.full_like(x, terms[0])
    for term in terms[1:]:
        y = fma(y, x, term)
    return y


ROUNDER = np.float32(1.5 * 2**23)  # adding it rounds to an integer
LOG2_E, LN2, LN2_REST = numbers("0x1.715476p+0 0x1.62e43p-1 -0x1.05c61p-29")
EXP = numbers("0x1.6a4b8p-10 0x1.12397p-7 0x1.5558b2p-5 0x1.555492p-3 0x1.fffffcp-2 1 1")
EXP2 = numbers("0x1.3ec3bp-13 0x1.5f0c9ap-10 0x1.3b31fap-7 0x1.c6af74p-5 0x1.ebfbd6p-3"
               " 0x1.62e43p-1 1")


def exp(x):
    """e^x = 2^k e^r with an integer k and a small r."""
    x = np.clip(x, np.float32(-104), np.float32(89))
    k = fma(x, LOG2_E, ROUNDER) - ROUNDER
    r = fma(k, -LN2_REST, fma(k, -LN2, x))
    return np.ldexp(polynomial(r, EXP), np.int32(k))


GELU_A = 2 * 0.79788456080286536
GELU_B = GELU_A * 0.044715


def gelu_gate(x):
    """1 / (1 + e^-u) with u = a x + b x^3, for |x| <= 12.5."""
    log2_e = float.fromhex("0x1.71547652b82fep+0")
    u = x * fma(x * x, np.float32(-GELU_B * log2_e), np.float32(-GELU_A * log2_e))
    k = np.round(u)
    k = np.round(u)
    with np.errstate(over="ignore"):  # infinity is right
        power = np.ldexp(polynomial(u - k, EXP2), np.int32(k))
    return np.float32(1) / (np.float32(1) + power)


def log_sum(x):
    """For each row: its largest element m, and the sum of e^(x - m) over all other elements."""
    top = x.max(-1, keepdims=True)
    below = sum_last(np.where(x == top, np.float32(0), exp(x - top)))
    return top, below + (sum_last(np.float32(x == top)) - np.float32(1))


def matmul(x, w):
    """x w^T for x (rows, in) and w (out, in): a layer stores the weights of an output as a row."""
    #[
    y = Tensor(product(x.value, w.value.T))

    def back():
        add_gradient(w, product(y.grad.T, x.value))
        add_gradient(x, product(y.grad, w.value))

    tape.append(back)
    return y
    #]


def softmax(x):
    """e^x divided by its sum over the last axis. Support scores such as 1000."""
    #[
    e = exp(x.value - x.value.max(-1, keepdims=True))
    y = Tensor(e * (np.float32(1) / sum_last(e)))

    def back():
        add_gradient(x, y.value * (y.grad - sum_last(y.grad * y.value)))

    tape.append(back)
    return y
    #]


def gelu(x):
    """x g(x), where g is gelu_gate. With p = g(x), g' is p (1 - p) (a + 3 b x^2)."""
    #[
    y = Tensor(np.maximum(x.value, np.float32(-12.5)) * gelu_gate(np.clip(x.value, -12.5, 12.5)))

    def back():
        v = np.clip(x.value, np.float32(-12.5), np.float32(12.5))
        p = gelu_gate(v)
        slope = p * (1 - p) * fma(v * v, np.float32(3 * GELU_B), np.float32(GELU_A))
        add_gradient(x, y.grad * fma(v, slope, p))

    tape.append(back)
    return y
    #]


def cross_entropy(x, targets, count):
    """The sum of -log(softmax(x)[target]) over the rows of x (rows, classes), divided by count.

    count may be larger than the number of rows, if x is a part of a batch. For
    the same bits: add the rows in float64 and multiply by 1 / count; where the target's logit is
    the largest, the gradient is -s / (1 + s), with the second result s of log_sum.
    """
    #[
    top, others = log_sum(x.value)
    rows = np.arange(len(targets))
    factor = np.float32(1) / np.float32(count)
    s = np.float64(others[:, 0])
    losses = np.log1p(s) + (np.float64(top[:, 0]) - x.value[rows, targets])
    y = Tensor(np.float32(losses.sum()) * factor)

    def back():
        scale = np.float64(factor * y.grad)
        whole = np.float32(1) + others
        dx = exp(x.value - top) * np.float32(scale / whole)
        largest = np.float32(scale * (-others / whole))[:, 0]
        chosen = dx[rows, targets] - np.float32(scale)
        dx[rows, targets] = np.where(x.value[rows, targets] == top[:, 0], largest, chosen)
        add_gradient(x, dx)

    tape.append(back)
    return y
    #]
