# ---- Chapter 4: attention

LOG = numbers("0x1.31e1d2p-2 0x1.995eccp-2 0x1.55557ap-1")


def log(x):
    """Given: log(x) for positive x: x = 2^k (1 + f), and a polynomial in s = f / (f + 2)."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < np.float32(0.70710678118654752)
    f = np.where(low, 2 * mantissa, mantissa) - np.float32(1)
    k = np.float32(exponent - low)
    s = f / (f + np.float32(2))
    square = np.float32(0.5) * f * f
    series = fma(s * s, polynomial(s * s, LOG), square)
    most = fma(k, LN2, f)
    rest = fma(k, LN2_REST, fma(k, LN2, -most) + f)
    return most - (square - fma(s, series, rest))


def reshape(x, shape):
    """Given: x with another shape."""
    y = Tensor(x.value.reshape(shape))
    tape.append(lambda: add_gradient(x, y.grad.reshape(x.value.shape)))
    return y


def attention(qkv, causal):
    """softmax(q k^T / sqrt(width)) v for each example of qkv (batch, time, 3 width).

    The columns of qkv are q, k and v. The result is (batch, time, width). If causal, query i sees
    only keys up to i: set the other scores to -np.inf. For the same bits: e = exp(score - largest)
    and total, its sum in the order of the keys; y = (e v) * (1 / total). Backward computes the
    weights again as exp(score - (largest + log(total))), and dscore = weight * (dweight - m), where
    m is the sum of dy * y along a row.
    """
    #[
    batch, time, width = qkv.value.shape[0], qkv.value.shape[1], qkv.value.shape[2] // 3
    factor = np.float32(1 / np.sqrt(np.float64(width)))
    hidden = np.triu(np.ones((time, time), bool), 1) if causal else np.zeros((time, time), bool)
    y = Tensor(np.zeros((batch, time, width)))

    def parts(b):
        return np.split(qkv.value[b], 3, -1)

    def scores(b):
        q, k, _ = parts(b)
        return np.where(hidden, np.float32(-np.inf), product(q, k.T) * factor)

    def weighted(b):
        score = scores(b)
        top = score.max(-1, keepdims=True)
        e = exp(score - top)
        total = np.zeros_like(top)
        for key in range(time):
            total = total + e[:, key : key + 1]
        y.value[b] = product(e, parts(b)[2]) * (np.float32(1) / total)
        return top + log(total)

    log_sums = [weighted(b) for b in range(batch)]

    def back():
        dqkv = np.zeros_like(qkv.value)
        for b in range(batch):
            q, k, v = parts(b)
            weight = exp(scores(b) - log_sums[b])
            dweight = product(y.grad[b], v.T)
            dscore = weight * (dweight - sum_last(y.grad[b] * y.value[b]))
            dq, dk = product(dscore, k) * factor, product(dscore.T, q) * factor
            dqkv[b] = np.concatenate([dq, dk, product(weight.T, y.grad[b])], -1)
        add_gradient(qkv, dqkv)

    tape.append(back)
    return y
    #]


def attention_block(x, gain, bias, w_qkv, b_qkv, w_out, b_out, causal=False):
    """x + linear(attention(linear(n))), where n is the layer norm of x (batch, time, width)."""
    rows = x.value.reshape(-1, x.value.shape[-1])
    #[
    n = layer_norm(reshape(x, rows.shape), gain, bias)
    qkv = linear(n, w_qkv, b_qkv)
    y = attention(reshape(qkv, x.value.shape[:-1] + (-1,)), causal)
    return add(x, reshape(linear(reshape(y, rows.shape), w_out, b_out), x.value.shape))
    #]
