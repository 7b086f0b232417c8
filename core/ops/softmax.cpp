#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "families.hpp"

namespace tapehead {
namespace {

/// Returns f(x) for an f that works along the last axis. Transposes `axis` to the end and back;
/// tapes record the transposes.
template <class F>
Tensor along(const char* op, const Tensor& x, int axis, F f) {
  check_present(op, x);
  axis = axis_of(op, x.shape(), axis);
  if (axis == x.rank() - 1) return f(x);
  return transpose(f(transpose(x, axis, -1)), axis, -1);
}

/// Maps x (..., n) -> (..., width) row by row. `kernel` selects a kernel from the table.
template <class Kernel>
Tensor map_rows(const char* op, const Tensor& x, Index width, Kernel kernel) {
  Tensor y = Tensor::empty(x.shape().with(-1, width), x.dtype());
  const Index n = x.dim(-1), rows = x.shape().slice(0, -1).size();
  with_floats(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernel(kernels<T>())(y.mutable_data<T>(), x.data<T>(), rows, n);
  });
  return y;
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return along("softmax", x, axis, [](const Tensor& rows) {
    Tensor y = map_rows("softmax", rows, rows.dim(-1), [](auto& k) { return k.softmax; });
    return record({"softmax", {{"axis", -1}}}, y, {rows},
                  [=](const Tensor& dy) { return Grads{y * (dy - sum(dy * y, {-1}, true))}; });
  });
}

Tensor log_softmax(const Tensor& x, int axis) {
  return along("log_softmax", x, axis, [](const Tensor& rows) {
    Tensor y = map_rows("log_softmax", rows, rows.dim(-1), [](auto& k) { return k.log_softmax; });
    return record({"log_softmax", {{"axis", -1}}}, y, {rows},
                  [=](const Tensor& dy) { return Grads{dy - exp(y) * sum(dy, {-1}, true)}; });
  });
}

Tensor logsumexp(const Tensor& x, int axis, bool keep) {
  check_present("logsumexp", x);
  axis = axis_of("logsumexp", x.shape(), axis);
  const Tensor kept = along("logsumexp", x, axis, [](const Tensor& rows) {
    Tensor y = map_rows("logsumexp", rows, 1, [](auto& k) { return k.logsumexp; });
    // The gradient is dy exp(x - y) = dy softmax(x). For a row of minus infinities, exp(x - y) is
    // NaN and softmax 0. In a row with plus infinity softmax is NaN, so smaller elements are set to
    // 0 here.
    return record({"logsumexp", {{"axis", -1}, {"keep", true}}}, y, {rows}, [=](const Tensor& dy) {
      const Tensor nothing = rows < masked_fill(y.detached(), y < infinity, -infinity);
      return Grads{dy * masked_fill(softmax(rows), nothing, 0)};
    });
  });
  if (keep) return kept;
  Shape shape = x.shape().slice(0, axis);
  for (int after = axis + 1; after < x.rank(); ++after) shape.push_back(x.dim(after));
  return reshape(kept, shape);
}

std::vector<Op> softmax_ops() {
  return {{"softmax",
           "y = exp(x) / sum(exp(x)) along an axis",
           {"dx = y (dy - sum(dy y))"},
           softmax,
           {"x", {"axis", -1}}},
          {"log_softmax",
           "y = x - log(sum(exp(x))) along an axis",
           {"dx = dy - exp(y) sum(dy)"},
           log_softmax,
           {"x", {"axis", -1}}},
          {"logsumexp",
           "y = log(sum(exp(x))) along an axis",
           {"dx = dy exp(x - y)"},
           logsumexp,
           {"x", {"axis", -1}, {"keep", false}}}};
}

}  // namespace tapehead
