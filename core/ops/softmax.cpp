#include "../kernels/softmax.hpp"
#include "../ops.hpp"

namespace tapehead {
namespace {

/// f(x) over the last axis, with `axis` moved there and back.
template <class F>
Tensor along(const char* op, const Tensor& x, int axis, F f) {
  axis = axis_of(op, x.shape(), axis);
  if (axis == x.rank() - 1) return f(x);
  return transpose(f(transpose(x, axis, -1)), axis, -1);
}

/// x (..., n) -> (..., width): f(y, x, n) computes a row of y from one of x.
template <class F>
Tensor map_rows(const char* op, const Tensor& x, Index width, F f) {
  Tensor y = Tensor::empty(x.shape().with(-1, width), x.dtype());
  const Index n = x.dim(-1), rows = x.shape().slice(0, -1).size();
  dispatch_float(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.data<T>();
    T* out = y.mutable_data<T>();
    for (Index row = 0; row < rows; ++row) f(out + row * width, in + row * n, n);
  });
  return y;
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return along("softmax", x, axis, [](const Tensor& rows) {
    Tensor y = map_rows("softmax", rows, rows.dim(-1),
                        [](auto* out, const auto* in, Index n) { softmax_row(out, in, n); });
    return record("softmax", y, {rows},
                  [=](const Tensor& dy) { return Grads{y * (dy - sum(dy * y, {-1}, true))}; });
  });
}

Tensor log_softmax(const Tensor& x, int axis) {
  return along("log_softmax", x, axis, [](const Tensor& rows) {
    Tensor y = map_rows("log_softmax", rows, rows.dim(-1),
                        [](auto* out, const auto* in, Index n) { log_softmax_row(out, in, n); });
    return record("log_softmax", y, {rows},
                  [=](const Tensor& dy) { return Grads{dy - exp(y) * sum(dy, {-1}, true)}; });
  });
}

Tensor logsumexp(const Tensor& x, int axis, bool keep) {
  axis = axis_of("logsumexp", x.shape(), axis);
  const Tensor kept = along("logsumexp", x, axis, [](const Tensor& rows) {
    Tensor y = map_rows("logsumexp", rows, 1,
                        [](auto* out, const auto* in, Index n) { *out = logsumexp_of(in, n); });
    // softmax instead of exp(x - y): it gives zeros, not NaN, in a row of minus infinities. Beside
    // plus infinity, which softmax has no weights for, a smaller element counts for nothing.
    return record("logsumexp", y, {rows}, [=](const Tensor& dy) {
      const Tensor nothing = rows < masked_fill(y.detached(), y < infinity, -infinity);
      return Grads{dy * masked_fill(softmax(rows), nothing, 0)};
    });
  });
  if (keep) return kept;
  Shape shape = x.shape().slice(0, axis);
  for (int after = axis + 1; after < x.rank(); ++after) shape.push_back(x.dim(after));
  return reshape(kept, shape);
}

}  // namespace tapehead
