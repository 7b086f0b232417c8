#include "../kernels/kernels.hpp"
#include "../kernels/random/draws.hpp"
#include "../plural.hpp"
#include "../trace.hpp"
#include "attention_plan.hpp"

#include <algorithm>
#include <utility>

namespace tapehead {
namespace {

/// (batch, time, heads * d) -> (batch, heads, time, d)
Tensor split_heads(const Tensor& x, Index heads) {
  return permute(reshape(x, Shape{x.dim(0), x.dim(1), heads, x.dim(2) / heads}), {0, 2, 1, 3});
}
/// (batch, heads, time, d) -> (batch, time, heads * d)
Tensor join_heads(const Tensor& x) {
  return reshape(permute(x, {0, 2, 1, 3}), Shape{x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
}

/// The location of the matrices of all heads: the index of the input that contains them, their
/// first element, and their strides.
struct Location {
  std::size_t input;
  Index first, batch, head, time;

  template <class T>
  HeadView<T> in(T* data) const {
    return {data + first, batch, head, time};
  }
};

/// The memory layout of the inputs and the result of an attention op.
struct Layout {
  AttentionSizes n;
  Location q, k, v, y;
  Shape result;
};

/// Checks the inputs of an attention op. If the shapes don't fit, calls `refuse`, which throws an
/// error.
template <class Refuse>
void check_inputs(const char* op, const std::vector<Tensor>& inputs, Index heads, Index kv_heads,
                  bool fits, const Refuse& refuse) {
  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
    throw ValueError("{}: heads is {} and kv_heads is {}, expected kv_heads to divide heads", op,
                     heads, kv_heads);
  if (!fits) refuse();
  for (const Tensor& x : inputs) check_same_type(op, inputs[0], x);
}

/// A tensor that attention reads, and its role.
struct Operand {
  enum class Role { input, mask, relative_keys, relative_values, scale, temperature };
  Tensor x;
  Role role;
  bool wanted;  // whether its gradient is needed

  bool is_factor() const { return role == Role::scale || role == Role::temperature; }
};
using Role = Operand::Role;

std::vector<Operand> operands_of(const std::vector<Tensor>& inputs, const AttentionPlan& plan,
                                 const AttentionOptions& options) {
  std::vector<Operand> all;
  const auto add = [&](const Tensor& x, Role role) {
    if (x) all.push_back({x, role, x.is_float() && is_tracked(x)});
  };
  for (const Tensor& x : inputs) add(x, Role::input);
  for (const AttentionMask& mask : plan.masks) add(mask.values, Role::mask);
  add(options.relative_keys, Role::relative_keys);
  add(options.relative_values, Role::relative_values);
  add(options.scale, Role::scale);
  add(options.temperature, Role::temperature);
  return all;
}

/// Makes the tensor for an operand's gradient. The kernel overwrites the gradients of q, k and v,
/// and adds to the other gradients.
Tensor gradient_of(const Operand& operand, DType dtype) {
  const Shape& shape = operand.x.shape();
  if (operand.role == Operand::Role::input) return Tensor::empty(shape, dtype);
  return operand.wanted && !operand.is_factor() ? zeros(shape, dtype) : Tensor();
}

/// Returns x or x[head], for x of shape () or (heads).
double of_head(const Tensor& x, std::size_t head) { return x(x.rank() == 0 ? 0 : head); }

/// Computes the gradient of scale or temperature from the gradients of the heads' factors, (batch,
/// heads). A factor is scale * multiplier(s), so d scale = d factor * multiplier, ds = d factor *
/// factor.
Tensor factor_gradient(const Operand& operand, const AttentionOptions& options,
                       const AttentionPlan& plan, const std::vector<double>& dfactors) {
  std::vector<double> sums(operand.x.size(), 0.0);
  const auto heads = static_cast<std::size_t>(plan.n.heads);
  for (std::size_t head = 0; head < heads; ++head) {
    double slope = 1, dfactor = 0;
    for (std::size_t i = head; i < dfactors.size(); i += heads) dfactor += dfactors[i];
    if (operand.role == Role::temperature)
      slope = std::abs(of_head(options.temperature, head)) > max_temperature_exponent
                  ? 0  // where s is clamped, the gradient is 0
                  : plan.factors[head];
    else if (options.temperature)
      slope = temperature_multiplier(of_head(options.temperature, head));
    sums[operand.x.rank() == 0 ? 0 : head] += dfactor * slope;
  }
  return tensor(sums, operand.x.shape(), operand.x.dtype());
}

/// Returns whether options.replace returned different weights, or weights that depend on a tracked
/// tensor.
bool is_other(const Tensor& given, const Tensor& weights) {
  return given.id() != weights.id() && (is_tracked(given) || !bitwise_equal(given, weights));
}

/// Runs the decomposition with dropout after options.replace. Tapes track the weights that
/// `replace` gets. Returns the result, or null if `replace` returned the weights unchanged.
template <class Decomposed>
Tensor with_replaced(const AttentionOptions& options, Decomposed decomposed) {
  bool changed = false;
  AttentionOptions asked = options;
  asked.replace = [&](const Tensor& weights) {
    Tensor given = options.replace(weights);
    changed = is_other(given, weights);
    return given;
  };
  const Tensor y = decomposed(asked);
  return changed ? y : Tensor();
}

/// Returns the attributes under their names in the op's descriptor. If the heads are an axis of the
/// inputs, the attributes don't include the numbers of heads.
std::vector<Attribute> attributes_of(const AttentionOptions& options, const AttentionSizes& n,
                                     bool heads_are_axis) {
  std::vector<Attribute> all = {{"causal", options.causal},
                                {"hide_self", options.hide_self},
                                {"window", options.window},
                                {"dropout", options.dropout},
                                {"seed", static_cast<Index>(options.key.seed)}};
  if (heads_are_axis)
    all.insert(all.end(),
               {{"extra", options.extra}, {"mask_before_scale", options.mask_before_scale}});
  else
    all.insert(all.end(), {{"heads", n.heads}, {"kv_heads", n.kv_heads}});
  return all;
}

/// Runs the kernel and records its backward function. All attention ops call `attend` after they
/// have checked their inputs.
template <class Decomposed>
Tensor attend(const char* op, const std::vector<Tensor>& inputs, const Layout& layout,
              AttentionOptions options, Decomposed decomposed) {
  const AttentionSizes& n = layout.n;
  const DType dtype = inputs[0].dtype();
  const AttentionPlan plan = make_plan(op, n, dtype, options);
  const std::vector<Operand> operands = operands_of(inputs, plan, options);
  const bool recorded = std::any_of(operands.begin(), operands.end(),
                                    [](const Operand& operand) { return operand.wanted; });
  std::function<Tensor(const Tensor&)> replace = std::exchange(options.replace, {});
  // The kernel can't apply dropout after `replace`, and tapes don't track its weights.
  if (replace && (recorded || options.dropout > 0)) {
    AttentionOptions asked = options;
    asked.replace = std::exchange(replace, {});
    if (Tensor y = with_replaced(asked, decomposed)) return y;
  }
  count_multiply_adds(multiply_adds(plan));
  const auto read = [=](auto zero) {
    const auto view = [&](const Location& at) {
      return at.in(inputs[at.input].data<decltype(zero)>());
    };
    return AttentionInputs<const decltype(zero)>{view(layout.q), view(layout.k), view(layout.v)};
  };
  Tensor y = Tensor::empty(layout.result, dtype);
  Tensor lse = Tensor::empty({n.batch, n.heads, n.queries}, dtype);
  Tensor kept;
  if (plan.saves_dropout_mask())
    kept = Tensor::empty({n.batch, n.heads, plan.blocks(), n.keys}, DType::i32);
  Tensor weights;
  if (options.weights || replace) weights = zeros({n.batch, n.heads, n.queries, n.keys}, dtype);
  with_floats(op, dtype, [&](auto zero) {
    using T = decltype(zero);
    kernels<T>().attention_forward(plan, read(zero), layout.y.in(y.mutable_data<T>()),
                                   lse.mutable_data<T>(), mutable_bits(kept),
                                   weights ? weights.mutable_data<T>() : nullptr);
  });
  if (replace) {
    const Tensor given = replace(weights);
    if (is_other(given, weights)) {
      options.replace = [=](const Tensor&) { return given; };
      return decomposed(options);
    }
  }
  if (options.weights) *options.weights = weights;

  std::vector<Tensor> tensors;
  for (const Operand& operand : operands) tensors.push_back(operand.x);
  const auto backward = [=](const Tensor& dy) {
    Grads grads;
    for (const Operand& operand : operands) grads.push_back(gradient_of(operand, dtype));
    std::vector<double> dfactors(n.batch * n.heads, 0.0);
    bool factors = false;
    for (const Operand& operand : operands) factors |= operand.is_factor() && operand.wanted;
    with_floats(op, dtype, [&](auto zero) {
      using T = decltype(zero);
      AttentionGradients<T> more{};
      if (factors) more.factors = dfactors.data();
      for (std::size_t i = 0; i < operands.size(); ++i) {
        T* const to = grads[i] ? grads[i].template mutable_data<T>() : nullptr;
        const Role role = operands[i].role;
        if (role == Role::mask) more.masks.push_back(to);
        if (role == Role::relative_keys) more.relative_keys = to;
        if (role == Role::relative_values) more.relative_values = to;
      }
      const auto view = [&](const Location& at) {
        return at.in(grads[at.input].template mutable_data<T>());
      };
      kernels<T>().attention_backward(plan, read(zero), layout.y.in(y.data<T>()),
                                      layout.y.in(dy.data<T>()), lse.data<T>(), bits_of(kept),
                                      {view(layout.q), view(layout.k), view(layout.v)}, more);
    });
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (factors && operands[i].is_factor())
        grads[i] = factor_gradient(operands[i], options, plan, dfactors);
    return grads;
  };
  if (!Tape::current()) return y;
  const std::vector<Attribute> attributes = attributes_of(options, n, inputs[0].rank() == 4);
  const OpCall call(op, attributes.data(), attributes.data() + attributes.size());
  return record(call, y, tensors, backward, [=] { return decomposed(options); });
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
  const char* op = "attention";
  check_present(op, q, k, v);
  const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && k.dim(0) == q.dim(0) &&
                    v.dim(0) == q.dim(0) && v.dim(1) == k.dim(1) && v.dim(2) == k.dim(2) &&
                    k.dim(3) == q.dim(3);
  check_inputs(op, {q, k, v}, fits ? q.dim(1) : 1, fits ? k.dim(1) : 1, fits, [&] {
    throw ShapeError(
        "{}: q {}, k {}, v {}; expected (batch, heads, queries, d), "
        "(batch, kv_heads, keys, d) and (batch, kv_heads, keys, e)",
        op, q.shape(), k.shape(), v.shape());
  });
  const AttentionSizes n = {q.dim(0), q.dim(1), k.dim(1), q.dim(2), k.dim(2), q.dim(3), v.dim(3)};
  const auto at = [](std::size_t input, Index heads, Index time, Index width) {
    return Location{input, 0, heads * time * width, time * width, width};
  };
  const Layout layout = {n,
                         at(0, n.heads, n.queries, n.width),
                         at(1, n.kv_heads, n.keys, n.width),
                         at(2, n.kv_heads, n.keys, n.value_width),
                         at(0, n.heads, n.queries, n.value_width),
                         {n.batch, n.heads, n.queries, n.value_width}};
  return attend(op, {q, k, v}, layout, options, [=](const AttentionOptions& with) {
    return attention_decomposition(q, k, v, with);
  });
}

Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index heads,
                            Index kv_heads, const AttentionOptions& options) {
  const char* op = "multi_head_attention";
  check_present(op, q, k, v);
  const bool fits = heads > 0 && kv_heads > 0 && q.rank() == 3 && k.rank() == 3 && v.rank() == 3 &&
                    k.dim(0) == q.dim(0) && v.dim(0) == q.dim(0) && v.dim(1) == k.dim(1) &&
                    q.dim(2) % heads == 0 && k.dim(2) == q.dim(2) / heads * kv_heads &&
                    v.dim(2) % kv_heads == 0;
  check_inputs(op, {q, k, v}, heads, kv_heads, fits, [&] {
    throw ShapeError(
        "{}: q {}, k {}, v {} with heads {} and kv_heads {}; expected (batch, queries, heads * d), "
        "(batch, keys, kv_heads * d) and (batch, keys, kv_heads * e)",
        op, q.shape(), k.shape(), v.shape(), heads, kv_heads);
  });
  const AttentionSizes n = {
      q.dim(0), heads, kv_heads, q.dim(1), k.dim(1), q.dim(2) / heads, v.dim(2) / kv_heads};
  const auto at = [](std::size_t input, Index count, Index time, Index width) {
    return Location{input, 0, time * count * width, width, count * width};
  };
  const Layout layout = {n,
                         at(0, heads, n.queries, n.width),
                         at(1, kv_heads, n.keys, n.width),
                         at(2, kv_heads, n.keys, n.value_width),
                         at(0, heads, n.queries, n.value_width),
                         {n.batch, n.queries, heads * n.value_width}};
  return attend(op, {q, k, v}, layout, options, [=](const AttentionOptions& with) {
    return join_heads(attention_decomposition(split_heads(q, heads), split_heads(k, kv_heads),
                                              split_heads(v, kv_heads), with));
  });
}

Tensor self_attention(const Tensor& qkv, Index heads, Index kv_heads,
                      const AttentionOptions& options) {
  const char* op = "self_attention";
  check_present(op, qkv);
  const Index parts = heads + 2 * kv_heads;
  const bool fits = parts > 0 && qkv.rank() == 3 && qkv.dim(2) % parts == 0;
  check_inputs(op, {qkv}, heads, kv_heads, fits, [&] {
    throw ShapeError("{}: {} with heads {} and kv_heads {}; expected (batch, time, {} * d)", op,
                     qkv.shape(), heads, kv_heads, parts);
  });
  const Index time = qkv.dim(1), all = qkv.dim(2), width = all / parts;
  const AttentionSizes n = {qkv.dim(0), heads, kv_heads, time, time, width, width};
  const auto from = [&](Index head) { return Location{0, head * width, time * all, width, all}; };
  const Layout layout = {n,
                         from(0),
                         from(heads),
                         from(heads + kv_heads),
                         {0, 0, time * heads * width, width, heads * width},
                         {n.batch, time, heads * width}};
  return attend(op, {qkv}, layout, options, [=](const AttentionOptions& with) {
    const auto part = [&](Index first, Index count) {
      return split_heads(slice(qkv, 2, first * width, (first + count) * width), count);
    };
    return join_heads(attention_decomposition(part(0, heads), part(heads, kv_heads),
                                              part(heads + kv_heads, kv_heads), with));
  });
}

}  // namespace tapehead
