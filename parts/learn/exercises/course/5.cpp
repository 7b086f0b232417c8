// ---- Chapter 5: the optimizer

/// The rate of step 0, 1, ..., steps - 1: a warmup, then half a cosine.
/// Steps 0 to 19 have 0.003 (step + 1) / 21. From step 20, the rate falls from 0.003 to 0.0001:
/// 0.0001 + (0.003 - 0.0001) (1 + cos(pi t)) / 2, where t rises from 0 at step 20 to 1 at `steps`.
double learning_rate(int step, int steps) {
  //[
  if (step < 20) return 0.003 * ((step + 1) / 21.0);
  const double cosine = std::cos(3.141592653589793 * ((step - 20.0) / (steps - 20)));
  return 0.0001 + 0.5 * (1 + cosine) * (0.003 - 0.0001);
  //]
}

/// Returns the norm of all numbers of all gradients together. If it exceeds `most`, multiplies each
/// gradient by most / norm, in place. For the same bits, add in double.
double clip(const std::vector<Numbers*>& gradients, double most) {
  //[
  double sum = 0;
  for (const Numbers* g : gradients)
    for (double x : *g) sum += x * x;
  const double norm = std::sqrt(sum);
  const float factor = most / norm;
  if (norm > most)
    for (Numbers* g : gradients)
      for (float& x : *g) x *= factor;
  return norm;
  //]
}

/// Tensors by name.
using Parameters = std::map<std::string, Tensor>;

/// Adam with decoupled weight decay: beta1 0.9, beta2 0.99, epsilon 1e-8, decay 0.1.
/// m = beta1 m + (1 - beta1) g                  v = beta2 v + (1 - beta2) g g
/// p = p - rate decay p - rate m' / (sqrt(v') + epsilon)
/// m' = m / (1 - beta1^t)                       v' = v / (1 - beta2^t), t = 1 in the first step
/// Only matrices decay, that is p with two axes: no biases and no gains. For the same bits: m =
/// fma(beta1, m, (1 - beta1) g) and alike for v; p = fma(1 - rate decay, p, -q), q = (rate / (1 -
/// beta1^t)) m / fma(sqrt(v), 1 / sqrt(1 - beta2^t), epsilon); round all factors from double once.
struct AdamW {
  Parameters parameters;
  std::map<std::string, Numbers> m, v;
  int t = 0;

  explicit AdamW(const Parameters& all) : parameters(all) {
    for (const auto& [name, p] : all) m[name] = v[name] = Numbers(p->value.size());
  }

  /// Changes the value of each parameter, given its grad.
  void step(double rate) {
    //[
    ++t;
    const float corrected = rate / (1 - std::pow(0.9, t));
    const float spread = 1 / std::sqrt(1 - std::pow(0.99, t));
    const float beta1 = 0.9, rest1 = 1 - 0.9, beta2 = 0.99, rest2 = 1 - 0.99, epsilon = 1e-8;
    for (const auto& [name, p] : parameters) {
      const float keep = 1 - rate * (p->shape.size() == 2 ? 0.1 : 0);
      for (std::size_t i = 0; i < p->value.size(); ++i) {
        const float g = p->grad[i];
        float &m1 = m[name][i], &v1 = v[name][i];
        m1 = std::fma(beta1, m1, rest1 * g);
        v1 = std::fma(beta2, v1, rest2 * g * g);
        const float move = corrected * m1 / std::fma(std::sqrt(v1), spread, epsilon);
        p->value[i] = std::fma(keep, p->value[i], -move);
      }
    }
    //]
  }
};
