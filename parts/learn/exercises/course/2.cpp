// ---- Chapter 2: ops

// Given: arithmetic in Tapehead's order and rounding. You may use your own loops and std::exp; then
// the last bits differ. std::fma(a, b, c) is a * b + c, rounded once (a fused multiply-add).

/// A matrix (rows, columns) in memory. Element (i, k) is data[i * down + k * right].
struct Matrix {
  const float* data;
  int rows, columns, down, right;
  Matrix t() const { return {data, columns, rows, right, down}; }
};
Matrix matrix(const Numbers& x, int columns) {
  return {x.data(), static_cast<int>(x.size()) / columns, columns, columns, 1};
}

/// The matmul of a (m, k) and b (k, n): each sum adds its terms in order, from 0, with fma. Sums of
/// more than 256 terms are split, and the parts are added.
Numbers product(const Matrix& a, const Matrix& b) {
  const int parts = (a.columns + 255) / 256, size = (a.columns + parts - 1) / parts;
  Numbers y(static_cast<std::size_t>(a.rows * b.columns)), total(b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int begin = 0; begin < a.columns; begin += size) {
      std::fill(total.begin(), total.end(), 0.0f);
      for (int k = begin; k < std::min(begin + size, a.columns); ++k) {
        const float left = a.data[i * a.down + k * a.right];
        const float* const row = b.data + k * b.down;
        for (int j = 0; j < b.columns; ++j) total[j] = std::fma(left, row[j * b.right], total[j]);
      }
      for (int j = 0; j < b.columns; ++j) y[i * b.columns + j] += total[j];
    }
  return y;
}

/// The sum of f(i) for i < n, at most 512. Element i goes to sum i % 16; then the second half of
/// these sums is added to the first, until one is left.
template <class F>
float sum_of(int n, const F& f) {
  float lanes[16] = {};
  for (int i = 0; i < n; ++i) lanes[i % 16] += f(i);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[half + i];
  return lanes[0];
}

template <std::size_t n>
float polynomial(float x, const float (&terms)[n]) {
  float y = terms[0];
  for (std::size_t i = 1; i < n; ++i) y = std::fma(y, x, terms[i]);
  return y;
}

constexpr float ln2 = 0x1.62e43p-1f, ln2_rest = -0x1.05c61p-29f;

/// e^x = 2^k e^r with an integer k and a small r.
float exp_of(float x) {
  constexpr float rounder = 1.5f * (1 << 23);  // adding it rounds to an integer
  constexpr float terms[] = {
      0x1.6a4b8p-10f, 0x1.12397p-7f, 0x1.5558b2p-5f, 0x1.555492p-3f, 0x1.fffffcp-2f, 1, 1};
  x = std::min(89.0f, std::max(-104.0f, x));
  const float k = std::fma(x, 0x1.715476p+0f, rounder) - rounder;
  const float r = std::fma(k, -ln2_rest, std::fma(k, -ln2, x));
  return std::ldexp(polynomial(r, terms), static_cast<int>(k));
}

constexpr double gelu_a = 2 * 0.79788456080286536, gelu_b = gelu_a * 0.044715;

/// 1 / (1 + e^-u) with u = a x + b x^3, for |x| <= 12.5.
float gelu_gate(float x) {
  constexpr double log2_e = 0x1.71547652b82fep+0;
  constexpr float a = -gelu_a * log2_e, b = -gelu_b * log2_e;
  constexpr float terms[] = {0x1.3ec3bp-13f,
                             0x1.5f0c9ap-10f,
                             0x1.3b31fap-7f,
                             0x1.c6af74p-5f,
                             0x1.ebfbd6p-3f,
                             0x1.62e43p-1f,
                             1};
  const float u = x * std::fma(x * x, b, a), k = std::nearbyint(u);
  return 1 / (1 + std::ldexp(polynomial(u - k, terms), static_cast<int>(k)));
}

/// The largest element of a row, and the sum of e^(x - largest) over all other elements.
struct LogSum {
  float top, others;
};
LogSum log_sum(const float* x, int n) {
  const float top = *std::max_element(x, x + n);
  const float below = sum_of(n, [&](int i) { return x[i] == top ? 0 : exp_of(x[i] - top); });
  return {top, below + (std::count(x, x + n, top) - 1)};
}

/// x w^T for x (rows, in) and w (out, in): a layer stores the weights of an output as a row.
Tensor matmul(const Tensor& x, const Tensor& w) {
  const int in = w->shape[1], out = w->shape[0];
  //[
  const Tensor y =
      tensor({x->shape[0], out}, product(matrix(x->value, in), matrix(w->value, in).t()));
  tape.push_back([=] {
    const Matrix dy = matrix(y->grad, out);
    add_gradient(w, product(dy.t(), matrix(x->value, in)));
    add_gradient(x, product(dy, matrix(w->value, in)));
  });
  return y;
  //]
}

/// e^x divided by its sum over the last axis. Support scores such as 1000.
Tensor softmax(const Tensor& x) {
  const int n = x->shape.back();
  //[
  const Tensor y = tensor(x->shape);
  for (std::size_t begin = 0; begin < x->value.size(); begin += n) {
    const float* const from = &x->value[begin];
    float* const to = &y->value[begin];
    const float top = *std::max_element(from, from + n);
    for (int i = 0; i < n; ++i) to[i] = exp_of(from[i] - top);
    const float factor = 1 / sum_of(n, [&](int i) { return to[i]; });
    for (int i = 0; i < n; ++i) to[i] *= factor;
  }
  tape.push_back([=] {
    Numbers dx = y->grad;
    for (std::size_t begin = 0; begin < dx.size(); begin += n) {
      const float *const p = &y->value[begin], *const dy = &y->grad[begin];
      const float mean = sum_of(n, [&](int i) { return dy[i] * p[i]; });
      for (int i = 0; i < n; ++i) dx[begin + i] = p[i] * (dy[i] - mean);
    }
    add_gradient(x, dx);
  });
  return y;
  //]
}

/// x g(x), where g is gelu_gate. With p = g(x), g' is p (1 - p) (a + 3 b x^2).
Tensor gelu(const Tensor& x) {
  constexpr float a = gelu_a, b3 = 3 * gelu_b;
  //[
  const auto bounded = [](float v) { return std::min(12.5f, std::max(-12.5f, v)); };
  const Tensor y = tensor(x->shape);
  for (std::size_t i = 0; i < y->value.size(); ++i)
    y->value[i] = std::max(x->value[i], -12.5f) * gelu_gate(bounded(x->value[i]));
  tape.push_back([=] {
    Numbers dx = y->grad;
    for (std::size_t i = 0; i < dx.size(); ++i) {
      const float v = bounded(x->value[i]), p = gelu_gate(v);
      dx[i] *= std::fma(v, p * (1 - p) * std::fma(v * v, b3, a), p);
    }
    add_gradient(x, dx);
  });
  return y;
  //]
}

/// The sum of -log(softmax(x)[target]) over the rows of x (rows, classes), divided by all. all may
/// be larger than the number of rows, if x is a part of a batch. For the same
/// bits: add the rows in double, and multiply their sum, as a float, by 1 / all; where the target's
/// logit is the largest, the gradient is -s / (1 + s), where s is `others` of log_sum.
Tensor cross_entropy(const Tensor& x, const std::vector<int>& targets, int all) {
  const int classes = x->shape[1], rows = x->shape[0];
  //[
  const float share = 1.0f / all;
  double loss = 0;
  for (int i = 0; i < rows; ++i) {
    const float* const row = &x->value[i * classes];
    const LogSum sum = log_sum(row, classes);
    loss += std::log1p(double(sum.others)) + (double(sum.top) - row[targets[i]]);
  }
  const Tensor y = tensor({}, {static_cast<float>(loss) * share});
  tape.push_back([=] {
    const double scale = share * y->grad[0];
    Numbers dx(x->value.size());
    for (int i = 0; i < rows; ++i) {
      const float* const row = &x->value[i * classes];
      const LogSum sum = log_sum(row, classes);
      const float factor = scale / (1 + sum.others);
      float* const to = &dx[i * classes];
      for (int j = 0; j < classes; ++j) to[j] = exp_of(row[j] - sum.top) * factor;
      float& chosen = to[targets[i]];
      if (row[targets[i]] == sum.top)
        chosen = scale * (-sum.others / (1 + sum.others));
      else
        chosen -= static_cast<float>(scale);
    }
    add_gradient(x, dx);
  });
  return y;
  //]
}
