// Optimizer steps, each in one pass over memory.
#include "functions/numbers.hpp"
#include "table.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

/// Calls update(x, g, moment...) for each register of elements; `update` changes x and the moments
/// in place.
template <class T, class Update, class... Moment>
[[gnu::always_inline]] inline void one_pass(T* x, Index n, const T* g, const Update& update,
                                            Moment*... moments) {
  for (Index at = 0; at < n; at += lanes<T>) {
    const Index part = std::min(lanes<T>, n - at);
    prefetch_ahead(x + at);
    prefetch_ahead(g + at);
    (prefetch_ahead(moments + at), ...);
    const auto in_registers = [&](Vec<T> value, auto... moment) {
      update(value, load_partial(g + at, part), moment...);
      store_partial(x + at, part, value);
      (store_partial(moments + at, part, moment), ...);
    };
    in_registers(load_partial(x + at, part), load_partial(moments + at, part)...);
  }
}

template <class T>
Vec<T> all(double value) {
  return Vec<T>(static_cast<T>(value));
}

template <class T>
void sgd(T* x, Index n, const T* g, T* velocity, const typename Kernels<T>::SGD& o) {
  using B = Vec<T>;
  const B momentum = all<T>(o.momentum), rate = all<T>(o.rate), scale = all<T>(o.scale);
  const B decay = all<T>(o.decay);
  const auto update = [&](B& p, B gradient, B& v) {
    v = fma(momentum, v, fma(scale, gradient, decay * p));
    p = fma(neg(rate), v, p);
  };
  one_pass(x, n, g, update, velocity);
}

template <class T>
void lion(T* x, Index n, const T* g, T* momentum, const typename Kernels<T>::Lion& o) {
  using B = Vec<T>;
  const B beta1 = all<T>(o.beta1), rest1 = all<T>((1 - o.beta1) * o.scale);
  const B beta2 = all<T>(o.beta2), rest2 = all<T>((1 - o.beta2) * o.scale);
  const B rate = all<T>(o.rate), keep = all<T>(o.keep), none(T{0});
  const auto update = [&](B& p, B gradient, B& m) {
    const B move = fma(beta1, m, rest1 * gradient);
    const B sign = xsimd::select(move > none, rate, xsimd::select(move < none, neg(rate), move));
    p = fma(keep, p, neg(sign));  // if `move` is NaN, p becomes NaN
    m = fma(beta2, m, rest2 * gradient);
  };
  one_pass(x, n, g, update, momentum);
}

template <class T>
void adamw(T* x, Index n, const T* g, T* first, T* second, const typename Kernels<T>::AdamW& o) {
  using B = Vec<T>;
  const B beta1 = all<T>(o.beta1), rest1 = all<T>(1 - o.beta1);
  const B beta2 = all<T>(o.beta2), rest2 = all<T>(1 - o.beta2);
  const B rate = all<T>(o.rate), spread = all<T>(o.spread), epsilon = all<T>(o.epsilon);
  const B keep = all<T>(o.keep), scale = all<T>(o.scale);
  const auto update = [&](B& p, B gradient, B& m, B& v) {
    gradient = gradient * scale;
    m = fma(beta1, m, rest1 * gradient);
    v = fma(beta2, v, rest2 * gradient * gradient);
    p = fma(keep, p, neg(quotient(rate * m, fma(kernel::sqrt(v), spread, epsilon))));
  };
  one_pass(x, n, g, update, first, second);
}

}  // namespace

template <class T>
void add_updates(Kernels<T>& table) {
  table.sgd = sgd<T>;
  table.lion = lion<T>;
  table.adamw = adamw<T>;
}
template void add_updates(Kernels<float>&);
template void add_updates(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
