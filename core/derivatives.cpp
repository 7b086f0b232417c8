#include "derivatives.hpp"
#include "ops.hpp"
#include "plural.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns the options for a tape that runs backward once.
BackwardOptions once(Unused unused) { return {false, false, unused == Unused::zeros}; }

/// Replaces a tensor that occurs twice in x, or in both x and `others`, by a view, so that each
/// occurrence has a separate derivative.
std::vector<Tensor> distinct(std::vector<Tensor> x, const std::vector<Tensor>& others = {}) {
  std::vector<std::uint64_t> seen;
  for (const Tensor& other : others) seen.push_back(other.id());
  for (Tensor& each : x) {
    if (std::find(seen.begin(), seen.end(), each.id()) != seen.end())
      each = reshape(each, each.shape());
    seen.push_back(each.id());
  }
  return x;
}

/// The result f(x), on a tape that watches x.
struct Evaluated {
  Evaluated(const Function& f, const std::vector<Tensor>& x) : inputs(distinct(x)) {
    for (const Tensor& each : inputs) tape.watch(each);
    y = f(inputs);
  }
  /// Returns the gradient for each x.
  Grads of(const Gradients& gradients) const {
    Grads all;
    for (const Tensor& each : inputs) all.push_back(gradients[each]);
    return all;
  }

  const std::vector<Tensor> inputs;
  Tape tape;
  Tensor y;
};

void check_direction(const char* name, const std::vector<Tensor>& x, const std::vector<Tensor>& v) {
  if (v.size() != x.size())
    throw ValueError("{}: the direction has {}, but there are {}", name, plural(v.size(), "tensor"),
                     plural(x.size(), "input"));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (v[i].shape() != x[i].shape() || v[i].dtype() != x[i].dtype())
      throw ShapeError("{}: input {} is {} {}, but its direction is {} {}", name, i, x[i].dtype(),
                       x[i].shape(), v[i].dtype(), v[i].shape());
}

/// Returns the dot product of the gradients and the direction v.
Tensor along(const Grads& gradients, const std::vector<Tensor>& v) {
  Tensor total = scalar(0, v.empty() ? DType::f32 : v[0].dtype());
  for (std::size_t i = 0; i < v.size(); ++i) total = total + sum(gradients[i] * v[i]);
  return total;
}

}  // namespace

std::pair<Tensor, Grads> grad(const Function& f, const std::vector<Tensor>& x, Unused unused) {
  Evaluated at(f, x);
  return {at.y, at.of(at.tape.backward(at.y, once(unused)))};
}

std::pair<Tensor, Grads> vjp(const Function& f, const std::vector<Tensor>& x, const Tensor& v,
                             Unused unused) {
  Evaluated at(f, x);
  return {at.y, at.of(at.tape.backward(at.y, v, once(unused)))};
}

/// Differentiates <u^T J, v> with respect to u, which gives J v. So no op needs a forward-mode rule
/// (J. Townsend, "A new trick for calculating Jacobian vector products", 2017). The value of u
/// doesn't matter, because u^T J is linear in u.
std::pair<Tensor, Tensor> jvp(const Function& f, const std::vector<Tensor>& x,
                              const std::vector<Tensor>& v, Unused unused) {
  check_direction("jvp", x, v);
  Evaluated at(f, x);
  const Tensor u = zeros(at.y.shape(), at.y.dtype());
  Tape linear;
  linear.watch(u);
  const Grads grads = at.of(at.tape.backward(at.y, u, once(unused)));
  return {at.y, linear.backward(along(grads, v), once(Unused::zeros))[u]};
}

std::pair<Tensor, Grads> hvp(const Function& f, const std::vector<Tensor>& x,
                             const std::vector<Tensor>& v, Unused unused) {
  check_direction("hvp", x, v);
  const std::vector<Tensor> direction = distinct(v, x);  // no tape must record these views
  Evaluated at(f, x);
  const BackwardOptions recorded = {/*create_graph=*/true, false, unused == Unused::zeros};
  const Tensor slope = along(at.of(at.tape.backward(at.y, recorded)), direction);
  return {at.y, at.of(at.tape.backward(slope, once(Unused::zeros)))};
}

Grads jacobian(const Function& f, const std::vector<Tensor>& x, Unused unused) {
  Evaluated at(f, x);
  const Tensor& y = at.y;
  const BackwardOptions kept = {false, /*keep=*/true, unused == Unused::zeros};
  std::vector<Grads> rows(x.size());  // for each input, the rows of its Jacobian
  for (Index i = 0; i < y.size(); ++i) {
    const Tensor which = reshape(one_hot(full({}, i, DType::i32), y.size(), y.dtype()), y.shape());
    const Grads row = at.of(at.tape.backward(y, which, kept));
    for (std::size_t input = 0; input < x.size(); ++input) rows[input].push_back(row[input]);
  }
  Grads all;
  for (std::size_t input = 0; input < x.size(); ++input) {
    const Shape shape = joined(y.shape(), x[input].shape());
    all.push_back(y.size() == 0 ? zeros(shape, y.dtype()) : reshape(stack(rows[input]), shape));
  }
  return all;
}

std::vector<Grads> hessian(const Function& f, const std::vector<Tensor>& x, Unused unused) {
  const auto gradient = [&](const auto& inputs) { return flatten(grad(f, inputs, unused).second); };
  const Grads rows = jacobian(gradient, x, Unused::zeros);
  std::vector<Grads> blocks;
  Index first = 0;
  for (const Tensor& from : x) {
    blocks.emplace_back();
    for (std::size_t j = 0; j < x.size(); ++j)
      blocks.back().push_back(reshape(slice(rows[j], 0, first, first + from.size()),
                                      joined(from.shape(), x[j].shape())));
    first += from.size();
  }
  return blocks;
}

std::vector<Tensor> values(const std::vector<const Parameter*>& parameters) {
  std::vector<Tensor> all;
  for (const Parameter* parameter : parameters) all.push_back(parameter->value());
  return all;
}

Tensor flatten(const std::vector<Tensor>& all) {
  if (all.size() == 1) return reshape(all[0], {all[0].size()});  // without a copy
  std::vector<Tensor> rows;
  for (const Tensor& each : all) rows.push_back(reshape(each, {each.size()}));
  return concat(rows, 0);
}

std::vector<Tensor> unflatten(const Tensor& flat, const std::vector<Tensor>& like) {
  Index size = 0;
  for (const Tensor& each : like) size += each.size();
  if (flat.rank() != 1 || flat.size() != size)
    throw ShapeError("unflatten: the vector has shape {}, but the tensors have {} in total",
                     flat.shape(), plural(size, "element"));
  if (like.size() == 1) return {reshape(flat, like[0].shape())};
  std::vector<Tensor> all;
  Index first = 0;
  for (const Tensor& each : like) {
    all.push_back(reshape(slice(flat, 0, first, first + each.size()), each.shape()));
    first += each.size();
  }
  return all;
}

}  // namespace tapehead
