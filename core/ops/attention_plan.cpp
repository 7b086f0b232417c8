// Checks of the attention options, and the plan for the kernel.
#include "attention_plan.hpp"
#include "../kernels/functions/exponentials.hpp"
#include "../kernels/random/draws.hpp"
#include "elementwise.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Throws ValueError for a float mask that contains only 0 and 1. The caller probably means a
/// boolean mask, but adding 0 or 1 to the scores hides nothing.
void refuse_boolean(const char* op, const Tensor& mask) {
  bool any = false;
  with_floats(op, mask.dtype(), [&](auto zero) {
    const auto* values = mask.data<decltype(zero)>();
    const bool all = std::all_of(values, values + mask.size(),
                                 [](auto value) { return value == 0 || value == 1; });
    any = all && std::count(values, values + mask.size(), 1) > 0;
  });
  if (any)
    throw ValueError(
        "{}: a {} mask is added to the scores, and this one has only 0 and 1; pass a "
        "boolean mask as i32",
        op, mask.dtype());
}

void check_mask_type(const char* op, const Tensor& mask, DType dtype) {
  if (mask.is_float() && mask.dtype() != dtype)
    throw TypeError(
        "{}: the scores are {} and the mask {}; an added mask must be {}, a boolean one i32", op,
        dtype, mask.dtype(), dtype);
  mask.is_float() ? refuse_boolean(op, mask) : check_mask(op, mask);
}

/// Checks a mask that must broadcast to `full`, (batch, heads, queries, keys), and returns its
/// entry of the plan.
AttentionMask mask_entry(const char* op, const Tensor& mask, const Shape& full, DType dtype,
                         bool before_scale) {
  const Shape shape = mask_shape(mask.shape(), full);
  bool fits = shape.rank() == 4;
  for (int axis = 0; fits && axis < 4; ++axis) fits = shape[axis] == 1 || shape[axis] == full[axis];
  if (!fits)
    throw ShapeError("{}: mask {} doesn't broadcast to (batch, heads, queries, keys) = {}", op,
                     mask.shape(), full);
  check_mask_type(op, mask, dtype);
  const Shape strides = broadcast_strides(shape, full);
  return {
      mask, 0, {strides[0], strides[1], strides[2], strides[3]}, before_scale && mask.is_float()};
}

AttentionMask key_mask_entry(const char* op, const Tensor& mask, const Shape& full, DType dtype,
                             bool before_scale) {
  if (mask.shape() != Shape{full[0], full[3]})
    throw ShapeError("{}: key mask {}, expected (batch, keys) = ({}, {})", op, mask.shape(),
                     full[0], full[3]);
  check_mask_type(op, mask, dtype);
  return {mask, 0, {full[3], 0, 0, 1}, before_scale && mask.is_float()};
}

AttentionMask bias_entry(const char* op, const Tensor& bias, const Shape& full, DType dtype) {
  const Index heads = full[1], distances = std::max<Index>(full[2] + full[3] - 1, 0);
  if (bias.dtype() != dtype || bias.rank() != 2 || bias.dim(1) != distances ||
      (bias.dim(0) != 1 && bias.dim(0) != heads))
    throw ShapeError("{}: bias {} {}, expected {} of shape (heads, queries + keys - 1) = ({}, {})",
                     op, bias.dtype(), bias.shape(), dtype, heads, distances);
  return {bias, full[2] - 1, {0, bias.dim(0) == 1 ? 0 : distances, -1, 1}, false};
}

void check_table(const char* op, const char* name, const Tensor& table, Index width, DType dtype) {
  if (!table) return;
  if (table.dtype() != dtype || table.rank() != 2 || table.dim(0) % 2 == 0 || table.dim(1) != width)
    throw ShapeError("{}: {} {} {}, expected {} of shape (2 reach + 1, {})", op, name,
                     table.dtype(), table.shape(), dtype, width);
}

void check_scalars(const char* op, const char* name, const Tensor& x, Index heads, DType dtype) {
  if (!x) return;
  if (x.dtype() != dtype || x.rank() > 1 || (x.rank() == 1 && x.size() != heads))
    throw ShapeError("{}: {} {} {}, expected {} of shape () or ({})", op, name, x.dtype(),
                     x.shape(), dtype, heads);
}

/// Returns the number of keys that a query sees if masks are ignored.
Index visible(const AttentionPlan& plan, Index query) {
  const Index at = plan.position(query), end = plan.seen(query) - plan.extra;
  const Index first = plan.window > 0 ? std::max<Index>(at - plan.window + 1, 0) : 0;
  const Index last = plan.window > 0 ? std::min(at + plan.window, end) : end;
  const bool itself = first <= at && at < last;
  return plan.extra + std::max<Index>(last - first, 0) - (plan.hide_self && itself ? 1 : 0);
}

}  // namespace

double multiply_adds(const AttentionPlan& plan) {
  const AttentionSizes& n = plan.n;
  Index pairs = 0, by_distance = 0;
  for (Index query = 0; query < n.queries; ++query) pairs += visible(plan, query);
  for (const Tensor& table : {plan.relative_keys, plan.relative_values})
    if (table) by_distance += n.queries * table.size();
  return static_cast<double>(n.batch * n.heads * (pairs * (n.width + n.value_width) + by_distance));
}

double temperature_multiplier(double s) {
  return kernel::exp(std::clamp(s, -max_temperature_exponent, max_temperature_exponent));
}

Shape mask_shape(const Shape& mask, const Shape& full) {
  Shape shape = mask;
  if (shape.rank() == 3) {
    const bool per_head = shape[0] == full[0] * full[1] && shape[0] != full[0];
    shape = per_head ? Shape{full[0], full[1], shape[1], shape[2]}
                     : Shape{shape[0], 1, shape[1], shape[2]};
  }
  Shape whole;
  while (whole.rank() + shape.rank() < 4) whole.push_back(1);
  for (Index size : shape) whole.push_back(size);
  return whole;
}

AttentionPlan make_plan(const char* op, const AttentionSizes& n, DType dtype,
                        const AttentionOptions& options) {
  if (!(options.dropout >= 0 && options.dropout <= 1))
    throw ValueError("{}: dropout is {}, expected a probability in [0, 1]", op, options.dropout);
  using pinned::most_weight_keys;
  using pinned::most_weight_rows;
  if (options.dropout > 0 && (n.keys > most_weight_keys || n.queries * n.heads > most_weight_rows))
    throw ValueError(
        "{}: dropout supports at most {} keys and {} queries times heads, got {} keys and {} "
        "queries of {} heads; set the dropout of attention weights to 0",
        op, most_weight_keys, most_weight_rows, n.keys, n.queries, n.heads);
  if (options.extra < 0 || options.extra > n.keys)
    throw ValueError("{}: extra is {}, expected 0 to {}, the number of keys", op, options.extra,
                     n.keys);
  if (options.window < 0)
    throw ValueError("{}: window is {}, expected at least 1, or 0 for no window", op,
                     options.window);
  check_table(op, "relative keys", options.relative_keys, n.width, dtype);
  check_table(op, "relative values", options.relative_values, n.value_width, dtype);
  if (options.relative_keys && options.relative_values &&
      options.relative_keys.dim(0) != options.relative_values.dim(0))
    throw ShapeError("{}: relative keys {} and values {} must have the same reach", op,
                     options.relative_keys.shape(), options.relative_values.shape());
  check_scalars(op, "scale", options.scale, n.heads, dtype);
  check_scalars(op, "temperature", options.temperature, n.heads, dtype);

  AttentionPlan plan;
  plan.n = n;
  plan.causal = options.causal;
  plan.hide_self = options.hide_self;
  plan.extra = options.extra;
  plan.window = options.window;
  plan.relative_keys = options.relative_keys;
  plan.relative_values = options.relative_values;
  plan.dropout = options.dropout;
  plan.key = options.key;
  const Shape full = {n.batch, n.heads, n.queries, n.keys - options.extra};
  const bool before = options.mask_before_scale;
  if (options.mask) plan.masks.push_back(mask_entry(op, options.mask, full, dtype, before));
  if (options.key_mask)
    plan.masks.push_back(key_mask_entry(op, options.key_mask, full, dtype, before));
  if (options.bias) plan.masks.push_back(bias_entry(op, options.bias, full, dtype));
  const auto of_head = [](const Tensor& x, Index head) { return x(x.rank() == 0 ? 0 : head); };
  for (Index head = 0; head < n.heads; ++head) {
    double factor =
        options.scale ? of_head(options.scale, head) : 1 / std::sqrt(static_cast<double>(n.width));
    if (options.temperature) factor *= temperature_multiplier(of_head(options.temperature, head));
    plan.factors.push_back(factor);
  }
  return plan;
}

}  // namespace tapehead
