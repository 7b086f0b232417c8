// ---- Chapter 3: layers

/// x w^T + b for x (rows, in), w (out, in) and b (out).
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  //[
  return add(matmul(x, w), b);
  //]
}

/// The rows of table (count, width) with these ids, as (number of ids, width).
Tensor embedding(const Tensor& table, const std::vector<int>& ids) {
  const int width = table->shape[1], rows = ids.size();
  //[
  const Tensor y = tensor({rows, width});
  for (int i = 0; i < rows * width; ++i)
    y->value[i] = table->value[ids[i / width] * width + i % width];
  tape.push_back([=] {
    Numbers dtable(table->value.size());
    for (int i = 0; i < rows * width; ++i) dtable[ids[i / width] * width + i % width] += y->grad[i];
    add_gradient(table, dtable);
  });
  return y;
  //]
}

/// n gain + bias, where n are the rows of x (rows, width) with mean 0 and variance 1.
/// n = (x - mean) / sqrt(variance + 1e-5). The variance divides by width. For the same bits: let r
/// be the mean of x - mean; subtract r * r from the mean of (x - mean) * (x - mean); scale =
/// 1 / sqrt(...); n = fma(x - mean, scale, -r * scale); y = fma(n, gain, bias). The gradient is
/// (fma(dy, gain, -m) - n * s) * scale with the means m of dy * gain and s of dy * gain * n. The
/// sums for gain and bias add the rows in order, dgain with fma.
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  const int width = x->shape.back(), rows = x->value.size() / width;
  //[
  const Tensor y = tensor(x->shape);
  Numbers n(x->value.size()), scales(rows);
  for (int i = 0; i < rows; ++i) {
    const float* const from = &x->value[i * width];
    const float mean = sum_of(width, [&](int j) { return from[j]; }) / width;
    const float rest = sum_of(width, [&](int j) { return from[j] - mean; }) / width;
    const auto square = [&](int j) { return (from[j] - mean) * (from[j] - mean); };
    const float spread = std::max(sum_of(width, square) / width - rest * rest, 0.0f);
    const float scale = scales[i] = 1 / std::sqrt(spread + 1e-5f);
    for (int j = 0; j < width; ++j) {
      float& normal = n[i * width + j] = std::fma(from[j] - mean, scale, -rest * scale);
      y->value[i * width + j] = std::fma(normal, gain->value[j], bias->value[j]);
    }
  }
  tape.push_back([=] {
    Numbers dx(n.size()), dgain(width), dbias(width);
    for (int i = 0; i < rows; ++i) {
      const float *const dy = &y->grad[i * width], *const g = gain->value.data();
      const float* const normal = &n[i * width];
      const float m = sum_of(width, [&](int j) { return dy[j] * g[j]; }) / width;
      const float s = sum_of(width, [&](int j) { return dy[j] * g[j] * normal[j]; }) / width;
      for (int j = 0; j < width; ++j) {
        dx[i * width + j] = (std::fma(dy[j], g[j], -m) - normal[j] * s) * scales[i];
        dgain[j] = std::fma(dy[j], normal[j], dgain[j]);
        dbias[j] += dy[j];
      }
    }
    add_gradient(x, dx);
    add_gradient(gain, dgain);
    add_gradient(bias, dbias);
  });
  return y;
  //]
}

/// x + linear(gelu(linear(n))), where n is the layer norm of x.
Tensor mlp_block(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& w_in,
                 const Tensor& b_in, const Tensor& w_out, const Tensor& b_out) {
  //[
  const Tensor hidden = gelu(linear(layer_norm(x, gain, bias), w_in, b_in));
  return add(x, linear(hidden, w_out, b_out));
  //]
}
