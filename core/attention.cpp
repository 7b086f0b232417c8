#include <tapehead/core/attention_kernel.hpp>
#include <tapehead/core/ops.hpp>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

const double largest_log_multiplier = std::log(100.0);

/// The composite twin: what the kernel computes, in ops.
Tensor composite(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
  const Index heads = q.dim(1), queries = q.dim(2), keys = k.dim(2);
  const double lowest = -std::numeric_limits<double>::infinity();
  const Tensor nowhere = scalar(lowest, q.dtype());
  Tensor scores = matmul(q, transpose(k)) * (1 / std::sqrt(static_cast<double>(q.dim(3))));
  if (options.temperature) {  // (heads, 1, 1), or (1, 1, 1) for one temperature
    const Index count = options.temperature.size();
    const Tensor s = reshape(options.temperature, Shape{count == heads ? heads : 1, 1, 1});
    scores = scores * exp(clamp(s, -largest_log_multiplier, largest_log_multiplier));
  }
  if (options.mask)  // (batch, heads, queries, keys)
    scores = options.mask.is_float() ? scores + options.mask : where(options.mask, scores, nowhere);
  if (options.causal) scores = where(tril_mask(queries, keys, keys - queries), scores, nowhere);
  return matmul(dropout(softmax(scores), options.dropout, options.key), v);
}

/// The three parts of a joint projection (batch, time, 3 heads d), each (batch, heads, time, d).
Tensor composite_self(const Tensor& qkv, Index heads, const AttentionOptions& options) {
  const Index batch = qkv.dim(0), time = qkv.dim(1), width = qkv.dim(2) / 3;
  std::vector<Tensor> parts;
  for (const Tensor& part : split(qkv, 3, 2))
    parts.push_back(permute(reshape(part, Shape{batch, time, heads, width / heads}), {0, 2, 1, 3}));
  const Tensor y = composite(parts[0], parts[1], parts[2], options);
  return reshape(permute(y, {0, 2, 1, 3}), Shape{batch, time, width});
}

/// A float mask of nothing but 0 and 1 was meant as a boolean one: added, it would do next to
/// nothing.
void refuse_boolean(const char* op, const Tensor& mask) {
  bool any = false;
  for (double value : mask.values()) {
    if (value != 0 && value != 1) return;
    any = any || value == 1;
  }
  if (any)
    throw ValueError(
        "{}: a {} mask is added to the scores, and this one holds only 0 and 1; for a mask of who "
        "may attend, pass it as i32",
        op, mask.dtype());
}

/// The mask with four axes that broadcast to (batch, heads, queries, keys).
Tensor checked_mask(const char* op, const Tensor& mask, const AttentionSizes& n, DType dtype) {
  if (!mask) return mask;
  if (mask.is_float() && mask.dtype() != dtype)
    throw TypeError(
        "{}: the scores are {} and the mask {}; an added mask must be {}, a boolean one i32", op,
        dtype, mask.dtype(), dtype);
  const Shape full = {n.batch, n.heads, n.queries, n.keys};
  Shape shape = mask.shape();
  if (shape.rank() == 3) {
    const bool per_head = shape[0] == n.batch * n.heads && shape[0] != n.batch;
    shape = per_head ? Shape{n.batch, n.heads, shape[1], shape[2]}
                     : Shape{shape[0], 1, shape[1], shape[2]};
  }
  while (shape.rank() < 4)
    shape = Shape{1, shape[0], shape[1], shape[2]}.slice(0, shape.rank() + 1);
  bool fits = shape.rank() == 4;
  for (int axis = 0; fits && axis < 4; ++axis) fits = shape[axis] == 1 || shape[axis] == full[axis];
  if (!fits)
    throw ShapeError("{}: a mask {} doesn't broadcast to (batch, heads, queries, keys) = {}", op,
                     mask.shape(), full);
  if (mask.is_float()) refuse_boolean(op, mask);
  return reshape(mask, shape);
}

AttentionPlan make_plan(const char* op, const AttentionSizes& n, DType dtype,
                        const AttentionOptions& options) {
  if (!(options.dropout >= 0 && options.dropout <= 1))
    throw ValueError("{}: dropout is {}, and a probability lies in [0, 1]", op, options.dropout);
  AttentionPlan plan;
  plan.n = n;
  plan.causal = options.causal;
  plan.mask = options.mask;
  if (plan.mask)
    plan.mask_strides = broadcast_strides(plan.mask.shape(), {n.batch, n.heads, n.queries, n.keys});
  plan.dropout = options.dropout;
  plan.key = options.key;
  plan.factors.assign(static_cast<std::size_t>(n.heads),
                      1 / std::sqrt(static_cast<double>(n.width)));
  if (!options.temperature) return plan;
  const Tensor& s = options.temperature;
  if (s.dtype() != dtype || s.rank() > 1 || (s.rank() == 1 && s.size() != n.heads))
    throw ShapeError("{}: a temperature {} {}; expected {} of shape () or ({})", op, s.dtype(),
                     s.shape(), dtype, n.heads);
  for (Index head = 0; head < n.heads; ++head) {
    const double exponent = s(s.rank() == 0 ? 0 : head);
    plan.factors[static_cast<std::size_t>(head)] *=
        std::exp(std::clamp(exponent, -largest_log_multiplier, largest_log_multiplier));
    plan.temperature_moves.push_back(std::abs(exponent) <= largest_log_multiplier);
  }
  return plan;
}

/// The gradient of s from those of each head's multiplier's logarithm.
Tensor temperature_gradient(const AttentionPlan& plan, const std::vector<double>& by_head,
                            const Tensor& s) {
  std::vector<double> ds(static_cast<std::size_t>(s.size()), 0.0);
  for (std::size_t head = 0; head < by_head.size(); ++head)
    if (plan.temperature_moves[head]) ds[s.rank() == 0 ? 0 : head] += by_head[head];
  return tensor(ds, s.shape(), s.dtype());
}

/// Where the matrices of all heads lie: in which input, from which element on, with which strides.
struct Place {
  std::size_t input;
  Index first, batch, head, time;

  template <class T>
  HeadView<T> in(T* data) const {
    return {data + first, batch, head, time};
  }
};
struct Places {
  Place q, k, v, y;
};

/// What both ops share: check, run the kernel, and note how the kernel goes backward.
template <class Composite>
Tensor attend(const char* op, const AttentionSizes& n, const std::vector<Tensor>& inputs,
              const Shape& result, const Places& at, AttentionOptions options, Composite twin) {
  const DType dtype = inputs[0].dtype();
  options.mask = checked_mask(op, options.mask, n, dtype);
  const AttentionPlan plan = make_plan(op, n, dtype, options);
  const Shape all_weights = {n.batch, n.heads, n.queries, n.keys};
  const auto read = [=](auto zero) {
    const auto view = [&](const Place& p) { return p.in(inputs[p.input].data<decltype(zero)>()); };
    return AttentionInputs<const decltype(zero)>{view(at.q), view(at.k), view(at.v)};
  };
  Tensor y = Tensor::empty(result, dtype);
  Tensor lse = Tensor::empty({n.batch, n.heads, n.queries}, dtype);
  Tensor weights = options.weights ? zeros(all_weights, dtype) : Tensor();
  dispatch_float(op, dtype, [&](auto zero) {
    using T = decltype(zero);
    AttentionKernel<T>::forward(plan, read(zero), at.y.in(y.fresh<T>()), lse.fresh<T>(),
                                weights ? weights.fresh<T>() : nullptr);
  });
  if (options.weights) *options.weights = weights;
  options.weights = nullptr;

  const Tensor s = options.temperature, mask = options.mask;
  const bool wants_s = s && tracked(s), wants_mask = mask && mask.is_float() && tracked(mask);
  const auto rule = [=](const Tensor& dy) {
    Grads grads;
    for (const Tensor& x : inputs) grads.push_back(Tensor::empty(x.shape(), dtype));
    Tensor dmask = wants_mask ? zeros(all_weights, dtype) : Tensor();
    std::vector<double> ds(static_cast<std::size_t>(n.heads), 0.0);
    dispatch_float(op, dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto view = [&](const Place& p) { return p.in(grads[p.input].fresh<T>()); };
      AttentionKernel<T>::backward(plan, read(zero), at.y.in(y.data<T>()), at.y.in(dy.data<T>()),
                                   lse.data<T>(), {view(at.q), view(at.k), view(at.v)},
                                   dmask ? dmask.fresh<T>() : nullptr,
                                   wants_s ? ds.data() : nullptr);
    });
    if (s) grads.push_back(wants_s ? temperature_gradient(plan, ds, s) : Tensor());
    if (mask) grads.push_back(dmask);
    return grads;
  };
  std::vector<Tensor> all = inputs;
  if (s) all.push_back(s);
  if (mask) all.push_back(mask);
  return record(op, y, all, rule, [=] { return twin(options); });
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
  const auto fits = [&](const Tensor& x) {
    return x.rank() == 4 && x.dim(0) == q.dim(0) && x.dim(1) == q.dim(1);
  };
  if (q.rank() != 4 || !fits(k) || !fits(v) || v.dim(2) != k.dim(2) || k.dim(3) != q.dim(3))
    throw ShapeError(
        "attention: q {}, k {}, v {}; expected (batch, heads, queries, d), "
        "(batch, heads, keys, d) and (batch, heads, keys, e)",
        q.shape(), k.shape(), v.shape());
  check_same_type("attention", q, k);
  check_same_type("attention", q, v);
  const AttentionSizes n = {q.dim(0), q.dim(1), q.dim(2), k.dim(2), q.dim(3), v.dim(3)};
  const auto place = [&](std::size_t input, Index time, Index width) {
    return Place{input, 0, n.heads * time * width, time * width, width};
  };
  const Places at = {place(0, n.queries, n.width), place(1, n.keys, n.width),
                     place(2, n.keys, n.value_width), place(0, n.queries, n.value_width)};
  return attend("attention", n, {q, k, v}, {n.batch, n.heads, n.queries, n.value_width}, at,
                options, [=](const AttentionOptions& with) { return composite(q, k, v, with); });
}

Tensor self_attention(const Tensor& qkv, Index heads, const AttentionOptions& options) {
  if (qkv.rank() != 3 || heads < 1 || qkv.dim(2) % (3 * heads) != 0)
    throw ShapeError("self_attention: {} with {} heads; expected (batch, time, 3 * heads * d)",
                     qkv.shape(), heads);
  const Index time = qkv.dim(1), all = qkv.dim(2) / 3, width = all / heads;
  const AttentionSizes n = {qkv.dim(0), heads, time, time, width, width};
  const auto third = [&](Index i) { return Place{0, i * all, time * 3 * all, width, 3 * all}; };
  const Places at = {third(0), third(1), third(2), {0, 0, time * all, width, all}};
  return attend("self_attention", n, {qkv}, {n.batch, time, all}, at, options,
                [=](const AttentionOptions& with) { return composite_self(qkv, heads, with); });
}

}  // namespace tapehead
