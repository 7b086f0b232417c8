// Ops that compute one row after the other: forward substitution and LSTM.
#include "../dispatch.hpp"
#include "../kernels/gemm/gemm.hpp"
#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "../trace.hpp"
#include "families.hpp"

#include <algorithm>

namespace tapehead {
namespace {

// ---- forward substitution

/// Solves the system with matmuls, by halves: the first half of y doesn't depend on the second.
Tensor solve_by_halves(const Tensor& a, const Tensor& b, bool back) {
  const Index n = b.dim(-2), half = n / 2;
  if (n < 2) return b;
  const auto rows = [&](const Tensor& x, bool second) {
    return second ? slice(x, -2, half, n) : slice(x, -2, 0, half);
  };
  const auto block = [&](bool second) {
    return second ? slice(rows(a, true), -1, half, n) : slice(rows(a, false), -1, 0, half);
  };
  const Tensor below = slice(rows(a, true), -1, 0, half);  // (..., n - half, half)
  const Tensor first = solve_by_halves(block(back), rows(b, back), back);
  const Tensor rest = rows(b, !back) - matmul(back ? transpose(below) : below, first);
  const Tensor second = solve_by_halves(block(!back), rest, back);
  return concat(back ? std::vector{second, first} : std::vector{first, second}, -2);
}

// ---- LSTM

/// The sizes of an LSTM.
struct LSTMSizes {
  Index batch, time, hidden;

  /// Returns the rows of all sequences at step t of a tensor (batch, time, n hidden).
  template <class T>
  Matrix<T> step(T* data, Index t, Index n) const {
    return {data + t * n * hidden, batch, n * hidden, time * n * hidden};
  }
  /// Returns the h and c before step t, from the result y or from `start`.
  template <class T>
  Matrix<const T> before(const T* y, const T* start, Index t) const {
    if (t == 0) return matrix(start, batch, 2 * hidden);
    return step(y, t - 1, 2);
  }
  template <class T>
  Matrix<T> h(const Matrix<T>& both) const {
    return columns_of(both, 0, hidden);
  }
};

LSTMSizes check_lstm(const Tensor& x, const Tensor& weight, const Tensor& start) {
  check_same_type("lstm", x, weight);
  if (start) check_same_type("lstm", x, start);
  if (x.rank() != 3 || weight.rank() != 2 || weight.dim(0) != 4 * weight.dim(1) ||
      x.dim(2) != weight.dim(0))
    throw ShapeError(
        "lstm: x {} and weight {}; expected (batch, time, 4 hidden) and (4 hidden, hidden)",
        x.shape(), weight.shape());
  const LSTMSizes sizes{x.dim(0), x.dim(1), weight.dim(1)};
  const Shape state{sizes.batch, 2 * sizes.hidden};
  if (start && start.shape() != state)
    throw ShapeError("lstm: x {} and start {}; expected start {}", x.shape(), start.shape(), state);
  return sizes;
}

/// Returns the transposed weight, (hidden, 4 hidden), without recording an op. A matmul reads it in
/// place, and would otherwise copy the weight at each step.
template <class T>
Tensor across(const LSTMSizes& s, const Tensor& weight) {
  Tensor turned = Tensor::empty({s.hidden, 4 * s.hidden}, weight.dtype());
  const T* const from = weight.data<T>();
  T* const to = turned.mutable_data<T>();
  for (Index i = 0; i < 4 * s.hidden; ++i)
    for (Index j = 0; j < s.hidden; ++j) to[j * 4 * s.hidden + i] = from[i * s.hidden + j];
  return turned;
}

/// Computes h and c of all steps. `gates` contains the elements of x, and receives the activations.
template <class T>
void run_lstm(const LSTMSizes& s, const Tensor& weight, const T* start, T* gates, T* y) {
  const Tensor turned = across<T>(s, weight);
  const Matrix<const T> w = matrix(turned.data<T>(), s.hidden, 4 * s.hidden);
  for (Index t = 0; t < s.time; ++t) {
    const Matrix<const T> before = s.before(static_cast<const T*>(y), start, t);
    const Matrix<T> now = s.step(gates, t, 4), after = s.step(y, t, 2);
    gemm(s.h(before), w, now, {/*factor=*/T{1}, /*accumulate=*/true});
    for (Index b = 0; b < s.batch; ++b)
      kernels<T>().lstm_step(s.hidden, now.data + b * now.stride,
                             before.data + b * before.stride + s.hidden,
                             after.data + b * after.stride);
  }
}

/// Computes dx, and the gradient `dstate` of `start`, from the activations `gates` and dy.
template <class T>
void run_lstm_backward(const LSTMSizes& s, const T* weight, const T* start, const T* gates,
                       const T* y, const T* dy, T* dx, T* dstate) {
  const Matrix<const T> w = matrix(weight, 4 * s.hidden, s.hidden);
  const Matrix<T> state = matrix(dstate, s.batch, 2 * s.hidden);
  std::fill_n(dstate, s.batch * 2 * s.hidden, T{0});
  for (Index t = s.time - 1; t >= 0; --t) {
    const Matrix<const T> before = s.before(y, start, t), after = s.step(y, t, 2);
    const Matrix<const T> from = s.step(dy, t, 2), activations = s.step(gates, t, 4);
    const Matrix<T> to = s.step(dx, t, 4);
    for (Index b = 0; b < s.batch; ++b) {
      T* const d = dstate + b * state.stride;  // gradients of h and c after step t
      kernels<T>().add(d, state.stride, d, 1, from.data + b * from.stride, 1);
      kernels<T>().lstm_step_backward(s.hidden, activations.data + b * activations.stride,
                                      before.data + b * before.stride + s.hidden,
                                      after.data + b * after.stride + s.hidden, d, d + s.hidden,
                                      to.data + b * to.stride);
    }
    gemm(to, w, s.h(state));
  }
}

/// Adds the gradient of the weight: the sum over all steps of dx_t^T h_(t-1).
template <class T>
void add_weight_gradient(const LSTMSizes& s, const T* start, const T* y, const T* dx, T* dweight) {
  const Matrix<T> dw = matrix(dweight, 4 * s.hidden, s.hidden);
  if (s.time == 0) return;
  const auto add = [&](const Matrix<const T>& d, const Matrix<const T>& h) {
    gemm(d.t(), h, dw, {/*factor=*/T{1}, /*accumulate=*/true});
  };
  add(s.step(dx, 0, 4), s.h(s.before(y, start, 0)));
  for (Index b = 0; b < s.batch; ++b) {
    const auto steps = matrix(dx + b * s.time * 4 * s.hidden, s.time, 4 * s.hidden);
    const auto states = matrix(y + b * s.time * 2 * s.hidden, s.time, 2 * s.hidden);
    add(rows_of(steps, 1, s.time), s.h(rows_of(states, 0, s.time - 1)));
  }
}

Tensor lstm_by_steps(const LSTMSizes& s, const Tensor& x, const Tensor& weight,
                     const Tensor& start) {
  if (s.time == 0) return zeros({s.batch, 0, 2 * s.hidden}, x.dtype());
  Tensor h = slice(start, 1, 0, s.hidden), c = slice(start, 1, s.hidden, 2 * s.hidden);
  std::vector<Tensor> all;
  for (Index t = 0; t < s.time; ++t) {
    const Tensor recurrent = linear(h, weight);  // has a name, so that the sum can't overwrite it
    const Tensor now = reshape(slice(x, 1, t, t + 1), {s.batch, 4 * s.hidden}) + recurrent;
    const std::vector<Tensor> gates = split(now, 4, 1);
    c = sigmoid(gates[1]) * c + sigmoid(gates[0]) * tanh(gates[2]);
    h = sigmoid(gates[3]) * tanh(c);
    all.push_back(concat({h, c}, 1));
  }
  return stack(all, 1);
}

}  // namespace

Tensor solve_unit_lower(const Tensor& a, const Tensor& b, bool back) {
  check_same_type("solve_unit_lower", a, b);
  const int rank = a.rank();
  if (rank < 2 || b.rank() != rank || a.dim(-1) != a.dim(-2) || b.dim(-2) != a.dim(-1) ||
      a.shape().slice(0, rank - 2) != b.shape().slice(0, rank - 2))
    throw ShapeError(
        "solve_unit_lower: a {} and b {}; expected (..., n, n) and (..., n, width) with equal "
        "leading axes",
        a.shape(), b.shape());
  const Index n = a.dim(-1), width = b.dim(-1), count = a.shape().slice(0, rank - 2).size();
  count_multiply_adds(static_cast<double>(count * (n * (n - 1) / 2) * width));
  Tensor y = Tensor::empty(b.shape(), b.dtype());
  with_floats("solve_unit_lower", b.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const out = y.mutable_data<T>();
    std::copy_n(b.data<T>(), b.size(), out);
    for (Index i = 0; i < count; ++i)
      kernels<T>().solve_unit_lower(a.data<T>() + i * n * n, n, width, back, out + i * n * width);
  });
  return record(
      {"solve_unit_lower", {{"back", back}}}, y, {a, b},
      [=](const Tensor& dy) {
        const Tensor db = solve_unit_lower(a, dy, !back);
        const Tensor da = back ? matmul(y, transpose(db)) : matmul(db, transpose(y));
        return Grads{da * -cast(tril_mask(n, n, -1), a.dtype()), db};
      },
      [=] { return solve_by_halves(a, b, back); });
}

Tensor lstm(const Tensor& x, const Tensor& weight, const Tensor& given) {
  const LSTMSizes sizes = check_lstm(x, weight, given);
  const auto [batch, time, hidden] = sizes;
  const Tensor start = given ? given : zeros({batch, 2 * hidden}, x.dtype());
  const double multiply_adds = static_cast<double>(batch * time * 4 * hidden * hidden);
  count_multiply_adds(multiply_adds);
  Tensor gates = Tensor::empty(x.shape(), x.dtype());
  Tensor y = Tensor::empty({batch, time, 2 * hidden}, x.dtype());
  with_floats("lstm", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const activations = gates.mutable_data<T>();
    std::copy_n(x.data<T>(), x.size(), activations);
    run_lstm(sizes, weight, start.data<T>(), activations, y.mutable_data<T>());
  });
  const auto backward = [=, weight_known = is_tracked(weight)](const Tensor& dy) {
    count_multiply_adds((weight_known ? 2 : 1) * multiply_adds);
    Tensor dx = Tensor::empty(x.shape(), x.dtype());
    Tensor dstart = Tensor::empty(start.shape(), x.dtype());
    Tensor dweight = weight_known ? zeros(weight.shape(), x.dtype()) : Tensor();
    with_floats("lstm", x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T *const first = start.data<T>(), *const states = y.data<T>();
      T* const to = dx.mutable_data<T>();
      run_lstm_backward(sizes, weight.data<T>(), first, gates.data<T>(), states, dy.data<T>(), to,
                        dstart.mutable_data<T>());
      if (weight_known)
        add_weight_gradient(sizes, first, states, static_cast<const T*>(to),
                            dweight.mutable_data<T>());
    });
    return Grads{dx, dweight, dstart};
  };
  return record("lstm", y, {x, weight, start}, backward,
                [=] { return lstm_by_steps(sizes, x, weight, start); });
}

std::vector<Op> recurrence_ops() {
  return {
      {"solve_unit_lower",
       "y = (I + L)^-1 b, where L is the part of a below the diagonal; with back, (I + L)^-T b",
       {"da = -db y^T below the diagonal, 0 elsewhere (with back, -y db^T)",
        "db = (I + L)^-T dy (with back, (I + L)^-1 dy)"},
       solve_unit_lower,
       {"a", "b", {"back", false}}},
      {"lstm",
       "h_t = o tanh(c_t), c_t = f c_(t-1) + i g; (i, f, g, o) = x_t + W h_(t-1), with sigmoids "
       "of i, f and o, and tanh of g; y_t = (h_t, c_t)",
       {"dx_t = (dc_t g i (1 - i), dc_t c_(t-1) f (1 - f), dc_t i (1 - g^2), dh_t tanh(c_t) o "
        "(1 - o))",
        "dweight = sum of dx_t^T h_(t-1)",
        "dstart = (dh_0, dc_0); dh_(t-1) = its part of dy + W^T dx_t, dc_t = its part of dy + "
        "dh_t o (1 - tanh(c_t)^2) + f_(t+1) dc_(t+1)"},
       lstm,
       {"x", "weight", optional("start")}}};
}

}  // namespace tapehead
