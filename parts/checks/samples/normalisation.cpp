#include "samples.hpp"

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

// ---- softmax and its logarithms

using AxisOp = Value (*)(const Value&, int axis);

Value softmax_along(const Value& v, int axis) { return softmax(v, axis); }
Value softmax_decomposition(const Value& v, int axis) { return exp(v) / sum(exp(v), {axis}, true); }
Value log_softmax_along(const Value& v, int axis) { return log_softmax(v, axis); }
Value log_softmax_decomposition(const Value& v, int axis) {
  return v - log(sum(exp(v), {axis}, true));
}
Value logsumexp_along(const Value& v, int axis) { return logsumexp(v, axis); }
Value logsumexp_decomposition(const Value& v, int axis) { return log(sum(exp(v), {axis})); }
Value logsumexp_kept(const Inputs& in) { return logsumexp(in[0], 1, true); }

Function along(int axis, AxisOp op) {
  return [=](const Inputs& in) { return op(in[0], axis); };
}

std::vector<OpSample> axis_samples(AxisOp op, AxisOp decomposition) {
  std::vector<OpSample> all;
  const auto add = [&](const std::string& what, const Tensor& input, int axis) {
    all.push_back({what, {input}, along(axis, op), along(axis, decomposition)});
  };
  add("rows", x({3, 5}), -1);
  add("rows longer than registers", x({2, 19}), -1);
  add("columns", x({4, 3}), 0);
  add("a middle axis", x({2, 3, 2}), 1);
  add("the last of four", x({2, 1, 2, 3}), 3);
  add("one axis", x({4}), 0);
  add("rows of one element", x({3, 1}), 1);
  add("equal elements", zeros({2, 3}, DType::f64), 1);
  all.push_back({"no rows", {x({0, 3})}, along(1, op)});
  all.push_back({"rows of no elements", {x({3, 0})}, along(1, op)});
  add("an element far above", tensor({30, 1, 0, -2}, {1, 4}, DType::f64), 1);
  return all;
}

std::vector<OpSample> logsumexp_samples() {
  std::vector<OpSample> all = axis_samples(logsumexp_along, logsumexp_decomposition);
  all.push_back({"the axis kept", {x({2, 3, 2})}, logsumexp_kept});
  return all;
}

// ---- norms

Value normal(const Value& v) { return (v - mean(v, {-1}, true)) / sqrt(var(v, {-1}, true) + 1e-5); }

Value layer_normed(const Inputs& in) { return layer_norm(in[0], in[1], in[2]); }
Value layer_norm_decomposition(const Inputs& in) { return normal(in[0]) * in[1] + in[2]; }
Value layer_normed_plainly(const Inputs& in) { return layer_norm(in[0]); }
Value plain_layer_norm_decomposition(const Inputs& in) { return normal(in[0]); }
Value layer_normed_with_one_vector(const Inputs& in) { return layer_norm(in[0], in[1], in[1]); }
Value layer_normed_by_itself(const Inputs& in) { return layer_norm(in[0], in[0], in[0]); }
Value layer_normed_with_larger_epsilon(const Inputs& in) { return layer_norm(in[0], {}, {}, 0.5); }

std::vector<OpSample> layer_norm_samples() {
  const Function f = layer_normed, decomposition = layer_norm_decomposition;
  const Function plain = layer_normed_plainly, plain_d = plain_layer_norm_decomposition;
  return {
      {"rows", {x({3, 5}), x({5}, 2), x({5}, 3)}, f, decomposition},
      {"rows longer than registers", {x({2, 19}), x({19}, 2), x({19}, 3)}, f, decomposition},
      {"three axes", {x({2, 2, 3}), x({3}, 2), x({3}, 3)}, f, decomposition},
      {"one row", {x({4}), x({4}, 2), x({4}, 3)}, f, decomposition},
      {"no gain, no bias", {x({2, 5})}, plain, plain_d},
      {"rows of two", {x({2, 2})}, plain, plain_d},
      {"rows of one element", {x({3, 1}), x({1}, 2), x({1}, 3)}, f, decomposition},
      {"gain and bias the same", {x({2, 3}), x({3}, 2)}, layer_normed_with_one_vector},
      {"all three the same", {x({3})}, layer_normed_by_itself},
      {"a larger epsilon", {x({2, 3})}, layer_normed_with_larger_epsilon},
      {"no rows", {x({0, 3}), x({3}, 2), x({3}, 3)}, f},
      {"rows of no elements", {x({2, 0}), x({0}, 2), x({0}, 3)}, f},
  };
}

Value of_mean_square_1(const Value& v) { return v / sqrt(mean(v * v, {-1}, true) + 1e-5); }

Value rms_normed(const Inputs& in) { return rms_norm(in[0], in[1]); }
Value rms_norm_decomposition(const Inputs& in) { return of_mean_square_1(in[0]) * in[1]; }
Value rms_normed_plainly(const Inputs& in) { return rms_norm(in[0]); }
Value plain_rms_norm_decomposition(const Inputs& in) { return of_mean_square_1(in[0]); }
Value rms_normed_by_itself(const Inputs& in) { return rms_norm(in[0], in[0]); }
/// With a gain (heads, width).
Value heads_decomposition(const Inputs& in) {
  const Tensor rows = in[0], gain = in[1];
  const Index heads = gain.dim(0), width = gain.dim(1);
  Inputs parts;
  for (Index h = 0; h < heads; ++h)
    parts.push_back(of_mean_square_1(slice(in[0], -1, h * width, (h + 1) * width)) *
                    reshape(slice(in[1], 0, h, h + 1), Shape{width}));
  parts.push_back(slice(in[0], -1, heads * width, rows.dim(-1)));
  return concat(parts, -1);
}

std::vector<OpSample> rms_norm_samples() {
  const Function f = rms_normed, decomposition = rms_norm_decomposition;
  const Function by_head = heads_decomposition;
  return {
      {"rows", {x({3, 5}), x({5}, 2)}, f, decomposition},
      {"rows longer than registers", {x({2, 19}), x({19}, 2)}, f, decomposition},
      {"three axes", {x({2, 2, 3}), x({3}, 2)}, f, decomposition},
      {"one row", {x({4}), x({4}, 2)}, f, decomposition},
      {"no gain", {x({2, 5})}, rms_normed_plainly, plain_rms_norm_decomposition},
      {"rows of one element", {nonzero_sample({3, 1}, 1), x({1}, 2)}, f, decomposition},
      {"x and gain the same", {x({4})}, rms_normed_by_itself},
      {"heads", {x({2, 3, 6}), x({2, 3}, 2)}, f, by_head},
      {"heads, and columns that are passed on", {x({2, 2, 7}), x({2, 2}, 2)}, f, by_head},
      {"a head longer than registers", {x({2, 45}), x({2, 19}, 2)}, f, by_head},
      {"heads of one row", {x({5}), x({2, 2}, 2)}, f, by_head},
      {"no heads", {x({2, 3}), x({0, 3}, 2)}, f},
      {"no rows of heads", {x({0, 6}), x({2, 2}, 2)}, f},
      {"no rows", {x({0, 3}), x({3}, 2)}, f},
      {"rows of no elements", {x({2, 0}), x({0}, 2)}, f},
  };
}

// ---- dropout

const RandomKey key{7, Draw::dropout, 3, 1, 5};

Function dropped(double p) {
  return [=](const Inputs& in) { return dropout(in[0], p, key); };
}
Function dropout_decomposition(double p) {
  return [=](const Inputs& in) {
    const Tensor given = in[0];
    return in[0] * dropout(Value(ones(given.shape(), DType::f64)), p, key);
  };
}

std::vector<OpSample> dropout_samples() {
  const Function half = dropped(0.5), half_decomposition = dropout_decomposition(0.5);
  return {
      {"rows", {x({4, 5})}, dropped(0.4), dropout_decomposition(0.4)},
      {"three axes", {x({2, 3, 4})}, dropped(0.7), dropout_decomposition(0.7)},
      {"one axis", {x({6})}, half, half_decomposition},
      {"a scalar", {x({})}, dropped(0.1), dropout_decomposition(0.1)},
      {"p = 0", {x({2, 3})}, dropped(0)},
      {"p = 1", {x({2, 3})}, dropped(1)},
      {"more than a block of draws", {x({1, 1100})}, half, half_decomposition},
      {"no examples", {x({0, 3})}, half},
      {"no elements", {x({3, 0})}, half},
  };
}

}  // namespace

std::vector<OpSamples> normalisation_samples() {
  return {
      {"softmax", axis_samples(softmax_along, softmax_decomposition)},
      {"log_softmax", axis_samples(log_softmax_along, log_softmax_decomposition)},
      {"logsumexp", logsumexp_samples()},
      {"layer_norm", layer_norm_samples()},
      {"rms_norm", rms_norm_samples()},
      {"dropout", dropout_samples()},
  };
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
