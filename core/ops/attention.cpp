#include "../kernels/attention/attention.hpp"
#include "../kernels/dropout_bits.hpp"

namespace tapehead {
namespace {

/// (batch, time, heads * d) -> (batch, heads, time, d)
Tensor apart(const Tensor& x, Index heads) {
  return permute(reshape(x, Shape{x.dim(0), x.dim(1), heads, x.dim(2) / heads}), {0, 2, 1, 3});
}
/// (batch, heads, time, d) -> (batch, time, heads * d)
Tensor together(const Tensor& x) {
  return reshape(permute(x, {0, 2, 1, 3}), Shape{x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
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

/// The gradients of scale and temperature, from that of each head's factor.
Tensor factor_gradient(const Tensor& x, const std::vector<double>& by_head) {
  std::vector<double> sums(static_cast<std::size_t>(x.size()), 0.0);
  for (std::size_t head = 0; head < by_head.size(); ++head)
    sums[x.rank() == 0 ? 0 : head] += by_head[head];
  return tensor(sums, x.shape(), x.dtype());
}
Tensor scale_gradient(const AttentionOptions& options, std::vector<double> by_factor) {
  for (std::size_t head = 0; options.temperature && head < by_factor.size(); ++head) {
    const Tensor& s = options.temperature;
    by_factor[head] *= temperature_multiplier(s(s.rank() == 0 ? 0 : static_cast<Index>(head)));
  }
  return factor_gradient(options.scale, by_factor);
}
Tensor temperature_gradient(const AttentionOptions& options, const AttentionPlan& plan,
                            std::vector<double> by_factor) {
  const Tensor& s = options.temperature;
  for (std::size_t head = 0; head < by_factor.size(); ++head) {
    const double exponent = s(s.rank() == 0 ? 0 : static_cast<Index>(head));
    const bool held = std::abs(exponent) > std::log(100.0);  // by its clamp
    by_factor[head] *= held ? 0 : plan.factors[head];
  }
  return factor_gradient(s, by_factor);
}

/// What all ops here share: check, run the kernel, and note how the kernel goes backward.
template <class Composite>
Tensor attend(const char* op, const AttentionSizes& n, const std::vector<Tensor>& inputs,
              const Shape& result, const Places& at, AttentionOptions options,
              Composite decomposition) {
  const DType dtype = inputs[0].dtype();
  const AttentionPlan plan = make_plan(op, n, dtype, options);
  const auto read = [=](auto zero) {
    const auto view = [&](const Place& p) { return p.in(inputs[p.input].data<decltype(zero)>()); };
    return AttentionInputs<const decltype(zero)>{view(at.q), view(at.k), view(at.v)};
  };
  Tensor y = Tensor::empty(result, dtype);
  Tensor lse = Tensor::empty({n.batch, n.heads, n.queries}, dtype);
  Tensor kept, weights;
  if (plan.writes_kept())
    kept = Tensor::empty({n.batch, n.heads, plan.blocks(), n.keys}, DType::i32);
  if (options.weights) weights = zeros({n.batch, n.heads, n.queries, n.keys}, dtype);
  dispatch_float(op, dtype, [&](auto zero) {
    using T = decltype(zero);
    attention_forward<T>(plan, read(zero), at.y.in(y.mutable_data<T>()), lse.mutable_data<T>(),
                         mutable_bits(kept), weights ? weights.mutable_data<T>() : nullptr);
  });
  if (options.weights) *options.weights = weights;
  options.weights = nullptr;

  // Behind the inputs stand the masks, in the plan's order, and the other tensors of the options.
  std::vector<Tensor> all = inputs;
  for (const AttentionMask& mask : plan.masks) all.push_back(mask.values);
  for (const Tensor& x :
       {options.relative_keys, options.relative_values, options.scale, options.temperature})
    if (x) all.push_back(x);
  const auto wanted = [](const Tensor& x) { return x && x.is_float() && tracked(x); };
  std::vector<bool> wants;
  for (const AttentionMask& mask : plan.masks) wants.push_back(wanted(mask.values));
  const bool wants_keys = wanted(options.relative_keys);
  const bool wants_values = wanted(options.relative_values);
  const bool wants_factor = wanted(options.scale) || wanted(options.temperature);

  const auto rule = [=](const Tensor& dy) {
    const auto zeros_like = [&](const Tensor& x, bool yes) {
      return yes ? zeros(x.shape(), dtype) : Tensor();
    };
    Grads grads, dmasks;
    for (const Tensor& x : inputs) grads.push_back(Tensor::empty(x.shape(), dtype));
    for (std::size_t i = 0; i < wants.size(); ++i)
      dmasks.push_back(zeros_like(plan.masks[i].values, wants[i]));
    Tensor dkeys = zeros_like(options.relative_keys, wants_keys);
    Tensor dvalues = zeros_like(options.relative_values, wants_values);
    std::vector<double> dfactors(static_cast<std::size_t>(n.heads), 0.0);
    dispatch_float(op, dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto fresh = [](Tensor& x) { return x ? x.mutable_data<T>() : nullptr; };
      const auto view = [&](const Place& p) { return p.in(grads[p.input].mutable_data<T>()); };
      AttentionGradients<T> more{
          {}, fresh(dkeys), fresh(dvalues), wants_factor ? dfactors.data() : nullptr};
      for (Tensor& dmask : dmasks) more.masks.push_back(fresh(dmask));
      attention_backward<T>(plan, read(zero), at.y.in(y.data<T>()), at.y.in(dy.data<T>()),
                            lse.data<T>(), bits_of(kept), {view(at.q), view(at.k), view(at.v)},
                            more);
    });
    grads.insert(grads.end(), dmasks.begin(), dmasks.end());
    if (options.relative_keys) grads.push_back(dkeys);
    if (options.relative_values) grads.push_back(dvalues);
    if (options.scale) grads.push_back(wants_factor ? scale_gradient(options, dfactors) : Tensor());
    if (options.temperature)
      grads.push_back(wants_factor ? temperature_gradient(options, plan, dfactors) : Tensor());
    return grads;
  };
  return record(op, y, all, rule, [=] { return decomposition(options); });
}

void check_groups(const char* op, Index heads, Index kv_heads) {
  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
    throw ValueError("{}: {} heads over {} of keys and values, which must divide them", op, heads,
                     kv_heads);
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || k.dim(0) != q.dim(0) ||
      v.dim(0) != q.dim(0) || v.dim(1) != k.dim(1) || v.dim(2) != k.dim(2) || k.dim(3) != q.dim(3))
    throw ShapeError(
        "attention: q {}, k {}, v {}; expected (batch, heads, queries, d), "
        "(batch, kv_heads, keys, d) and (batch, kv_heads, keys, e)",
        q.shape(), k.shape(), v.shape());
  check_groups("attention", q.dim(1), k.dim(1));
  check_same_type("attention", q, k);
  check_same_type("attention", q, v);
  const AttentionSizes n = {q.dim(0), q.dim(1), k.dim(1), q.dim(2), k.dim(2), q.dim(3), v.dim(3)};
  const auto place = [](std::size_t input, Index heads, Index time, Index width) {
    return Place{input, 0, heads * time * width, time * width, width};
  };
  const Places at = {place(0, n.heads, n.queries, n.width), place(1, n.kv_heads, n.keys, n.width),
                     place(2, n.kv_heads, n.keys, n.value_width),
                     place(0, n.heads, n.queries, n.value_width)};
  return attend(
      "attention", n, {q, k, v}, {n.batch, n.heads, n.queries, n.value_width}, at, options,
      [=](const AttentionOptions& with) { return attention_decomposition(q, k, v, with); });
}

Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index heads,
                            Index kv_heads, const AttentionOptions& options) {
  const char* op = "multi_head_attention";
  check_groups(op, heads, kv_heads);
  if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3 || k.dim(0) != q.dim(0) ||
      v.dim(0) != q.dim(0) || v.dim(1) != k.dim(1) || q.dim(2) % heads != 0 ||
      k.dim(2) != q.dim(2) / heads * kv_heads || v.dim(2) % kv_heads != 0)
    throw ShapeError(
        "{}: q {}, k {}, v {} with {} heads, {} of keys; expected (batch, queries, heads * d), "
        "(batch, keys, kv_heads * d) and (batch, keys, kv_heads * e)",
        op, q.shape(), k.shape(), v.shape(), heads, kv_heads);
  check_same_type(op, q, k);
  check_same_type(op, q, v);
  const AttentionSizes n = {
      q.dim(0), heads, kv_heads, q.dim(1), k.dim(1), q.dim(2) / heads, v.dim(2) / kv_heads};
  const auto place = [](std::size_t input, Index count, Index time, Index width) {
    return Place{input, 0, time * count * width, width, count * width};
  };
  const Places at = {place(0, heads, n.queries, n.width), place(1, kv_heads, n.keys, n.width),
                     place(2, kv_heads, n.keys, n.value_width),
                     place(0, heads, n.queries, n.value_width)};
  return attend(op, n, {q, k, v}, {n.batch, n.queries, heads * n.value_width}, at, options,
                [=](const AttentionOptions& with) {
                  return together(attention_decomposition(apart(q, heads), apart(k, kv_heads),
                                                          apart(v, kv_heads), with));
                });
}

Tensor self_attention(const Tensor& qkv, Index heads, Index kv_heads,
                      const AttentionOptions& options) {
  check_groups("self_attention", heads, kv_heads);
  const Index parts = heads + 2 * kv_heads;
  if (qkv.rank() != 3 || qkv.dim(2) % parts != 0)
    throw ShapeError("self_attention: {} with {} heads, {} of keys; expected (batch, time, {} * d)",
                     qkv.shape(), heads, kv_heads, parts);
  const Index time = qkv.dim(1), all = qkv.dim(2), width = all / parts;
  const AttentionSizes n = {qkv.dim(0), heads, kv_heads, time, time, width, width};
  const auto from = [&](Index head) { return Place{0, head * width, time * all, width, all}; };
  const Places at = {from(0),
                     from(heads),
                     from(heads + kv_heads),
                     {0, 0, time * heads * width, width, heads * width}};
  return attend("self_attention", n, {qkv}, {n.batch, time, heads * width}, at, options,
                [=](const AttentionOptions& with) {
                  const auto part = [&](Index first, Index count) {
                    return apart(slice(qkv, 2, first * width, (first + count) * width), count);
                  };
                  return together(attention_decomposition(part(0, heads), part(heads, kv_heads),
                                                          part(heads + kv_heads, kv_heads), with));
                });
}

}  // namespace tapehead
