// ---- Chapter 4: attention

/// Given: log(x) for positive x: x = 2^k (1 + f), and a polynomial in s = f / (f + 2).
float log_of(float x) {
  constexpr float terms[] = {0x1.31e1d2p-2f, 0x1.995eccp-2f, 0x1.55557ap-1f};
  int exponent;
  float mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752f) {
    mantissa *= 2;
    --exponent;
  }
  const float f = mantissa - 1, k = exponent, s = f / (f + 2), square = 0.5f * f * f;
  const float series = std::fma(s * s, polynomial(s * s, terms), square);
  const float most = std::fma(k, ln2, f);
  const float rest = std::fma(k, ln2_rest, std::fma(k, ln2, -most) + f);
  return most - (square - std::fma(s, series, rest));
}

/// Given: x with another shape.
Tensor reshape(const Tensor& x, const std::vector<int>& shape) {
  const Tensor y = tensor(shape, x->value);
  tape.push_back([=] { add_gradient(x, y->grad); });
  return y;
}

/// softmax(q k^T / sqrt(width)) v for each example of qkv (batch, time, 3 width).
/// The columns of qkv are q, k and v. The result is (batch, time, width). If causal, query i sees
/// only keys up to i: set the other scores to -INFINITY. For the same bits: e = exp(score -
/// largest) and total, its sum in the order of the keys; y = (e v) * (1 / total). Backward computes
/// the weights again as exp(score - (largest + log(total))), and dscore = weight * (dweight - m),
/// where m is the sum of dy * y along a row.
Tensor attention(const Tensor& qkv, bool causal) {
  const int batch = qkv->shape[0], time = qkv->shape[1], width = qkv->shape[2] / 3;
  const float factor = 1 / std::sqrt(static_cast<double>(width));
  //[
  const auto part = [=](const Numbers& x, int b, int which) {  // 0, 1, 2: q, k, v of example b
    return Matrix{&x[(b * time * 3 + which) * width], time, width, 3 * width, 1};
  };
  const auto scores = [=](int b) {
    Numbers score = product(part(qkv->value, b, 0), part(qkv->value, b, 1).t());
    for (int i = 0; i < time * time; ++i)
      score[i] = causal && i % time > i / time ? -INFINITY : score[i] * factor;
    return score;
  };
  const auto example = [=](const Numbers& x, int b) {  // of x (batch, time, width)
    return Matrix{&x[b * time * width], time, width, width, 1};
  };
  const Tensor y = tensor({batch, time, width});
  Numbers log_sums(batch * time);
  for (int b = 0; b < batch; ++b) {
    Numbers e = scores(b), total(time);
    for (int i = 0; i < time; ++i) {
      float* const row = &e[i * time];
      const float top = *std::max_element(row, row + time);
      for (int j = 0; j < time; ++j) total[i] += row[j] = exp_of(row[j] - top);
      log_sums[b * time + i] = top + log_of(total[i]);
    }
    const Numbers sum = product(matrix(e, time), part(qkv->value, b, 2));
    for (int i = 0; i < time * width; ++i)
      y->value[b * time * width + i] = sum[i] * (1 / total[i / width]);
  }
  tape.push_back([=] {
    Numbers dqkv(qkv->value.size());
    for (int b = 0; b < batch; ++b) {
      const Matrix q = part(qkv->value, b, 0), k = part(qkv->value, b, 1);
      const Matrix v = part(qkv->value, b, 2), dy = example(y->grad, b), out = example(y->value, b);
      Numbers weight = scores(b), dscore = product(dy, v.t());
      for (int i = 0; i < time; ++i) {
        const float mean =
            sum_of(width, [&](int j) { return dy.data[i * width + j] * out.data[i * width + j]; });
        for (int at = i * time; at < (i + 1) * time; ++at) {
          weight[at] = exp_of(weight[at] - log_sums[b * time + i]);
          dscore[at] = weight[at] * (dscore[at] - mean);
        }
      }
      const Matrix w = matrix(weight, time), d = matrix(dscore, time);
      const Numbers dq = product(d, k), dk = product(d.t(), q), dv = product(w.t(), dy);
      for (int i = 0; i < time; ++i)
        for (int j = 0; j < width; ++j) {
          float* const to = &dqkv[(b * time + i) * 3 * width + j];
          to[0] = dq[i * width + j] * factor;
          to[width] = dk[i * width + j] * factor;
          to[2 * width] = dv[i * width + j];
        }
    }
    add_gradient(qkv, dqkv);
  });
  return y;
  //]
}

/// x + linear(attention(linear(n))), where n is the layer norm of x (batch, time, width).
Tensor attention_block(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& w_qkv,
                       const Tensor& b_qkv, const Tensor& w_out, const Tensor& b_out,
                       bool causal = false) {
  const int batch = x->shape[0], time = x->shape[1], width = x->shape[2];
  //[
  const Tensor n = layer_norm(reshape(x, {batch * time, width}), gain, bias);
  const Tensor qkv = reshape(linear(n, w_qkv, b_qkv), {batch, time, 3 * width});
  const Tensor y = reshape(attention(qkv, causal), {batch * time, width});
  return add(x, reshape(linear(y, w_out, b_out), x->shape));
  //]
}
