# ---- Chapter 3: layers


def norm_sums(dy, n):
    """Given: the sums of dy * n and of dy over the rows, for the gradients of gain and bias."""
    dgain, dbias = np.zeros_like(dy[0]), np.zeros_like(dy[0])
    for d, normal in zip(dy, n):
        dgain = fma(d, normal, dgain)
        dbias = dbias + d
    return dgain, dbias


def linear(x, w, b):
    """x w^T + b for x (rows, in), w (out, in) and b (out)."""
    #[
    return add(matmul(x, w), b)
    #]


def embedding(table, ids):
    """The rows of table (count, width) with these ids, as (number of ids, width)."""
    #[
    y = Tensor(table.value[ids])

    def back():
        dtable = np.zeros_like(table.value)
        for row, dy in zip(ids, y.grad):
            dtable[row] += dy
        add_gradient(table, dtable)

    tape.append(back)
    return y
    #]


def layer_norm(x, gain, bias):
    """n gain + bias, where n are the rows of x (rows, width) with mean 0 and variance 1.

    n = (x - mean) / sqrt(variance + 1e-5). The variance divides by width. For the same bits: let r
    be the mean of x - mean; subtract r * r from the mean of (x - mean) * (x - mean); scale =
    1 / sqrt(...); n = fma(x - mean, scale, -r * scale); y = fma(n, gain, bias). The gradient is
    (fma(dy, gain, -m) - n * s) * scale with the means m of dy * gain and s of dy * gain * n.
    """
    #[
    count = np.float32(x.value.shape[-1])
    far = x.value - sum_last(x.value) / count
    rest = sum_last(far) / count
    spread = np.maximum(sum_last(far * far) / count - rest * rest, np.float32(0))
    scale = np.float32(1) / np.sqrt(spread + np.float32(1e-5))
    n = fma(far, scale, -rest * scale)
    y = Tensor(fma(n, gain.value, bias.value))

    def back():
        dn = y.grad * gain.value
        m, s = sum_last(dn) / count, sum_last(dn * n) / count
        add_gradient(x, (fma(y.grad, gain.value, -m) - n * s) * scale)
        dgain, dbias = norm_sums(y.grad, n)
        add_gradient(gain, dgain)
        add_gradient(bias, dbias)

    tape.append(back)
    return y
    #]


def mlp_block(x, gain, bias, w_in, b_in, w_out, b_out):
    """x + linear(gelu(linear(n))), where n is the layer norm of x."""
    #[
    hidden = gelu(linear(layer_norm(x, gain, bias), w_in, b_in))
    return add(x, linear(hidden, w_out, b_out))
    #]
