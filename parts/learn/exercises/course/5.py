# ---- Chapter 5: the optimizer


def learning_rate(step, steps):
    """The rate of step 0, 1, ..., steps - 1: a warmup, then half a cosine.

    Steps 0 to 19 have 0.003 (step + 1) / 21. From step 20, the rate falls from 0.003 to 0.0001:
    0.0001 + (0.003 - 0.0001) (1 + cos(pi t)) / 2, where t rises from 0 at step 20 to 1 at `steps`.
    """
    #[
    if step < 20:
        return 0.003 * ((step + 1) / 21)
    cosine = np.cos(3.141592653589793 * ((step - 20) / (steps - 20)))
    return 0.0001 + 0.5 * (1 + cosine) * (0.003 - 0.0001)
    #]


def clip(gradients, most):
    """Returns the norm of all numbers of all gradients together. If it exceeds `most`, multiplies
    each gradient by most / norm, in place. For the same bits, add in float64."""
    #[
    norm = np.sqrt(sum(np.sum(np.square(g, dtype=np.float64)) for g in gradients))
    if norm > most:
        for g in gradients:
            g *= np.float32(most / norm)
    return norm
    #]


class AdamW:
    """Adam with decoupled weight decay: beta1 0.9, beta2 0.99, epsilon 1e-8, decay 0.1.

    m = beta1 m + (1 - beta1) g                  v = beta2 v + (1 - beta2) g g
    p = p - rate decay p - rate m' / (sqrt(v') + epsilon)
    m' = m / (1 - beta1^t)                       v' = v / (1 - beta2^t), t = 1 in the first step
    Only matrices decay, that is p with two axes: no biases and no gains. For the same bits: m =
    fma(beta1, m, (1 - beta1) g) and alike for v; p = fma(1 - rate decay, p, -q), q = (rate / (1 -
    beta1^t)) m / fma(sqrt(v), 1 / sqrt(1 - beta2^t), epsilon). Round all factors from float64 once.
    """

    def __init__(self, parameters):
        """parameters: a dictionary of tensors by name."""
        self.parameters = parameters
        self.m = {name: np.zeros_like(p.value) for name, p in parameters.items()}
        self.v = {name: np.zeros_like(p.value) for name, p in parameters.items()}
        self.t = 0

    def step(self, rate):
        """Changes the value of each parameter, given its grad."""
        #[
        f = np.float32
        self.t += 1
        corrected = f(rate / (1 - 0.9**self.t))
        spread = f(1 / np.sqrt(1 - 0.99**self.t))
        for name, p in self.parameters.items():
            g = p.grad
            m = self.m[name] = fma(f(0.9), self.m[name], f(1 - 0.9) * g)
            v = self.v[name] = fma(f(0.99), self.v[name], f(1 - 0.99) * g * g)
            move = corrected * m / fma(np.sqrt(v), spread, f(1e-8))
            p.value = fma(f(1 - rate * (0.1 if p.value.ndim == 2 else 0)), p.value, -move)
        #]
