#pragma once
#include "../core/kernels/simd.hpp"
#include "../core/parameter.hpp"

#include <algorithm>

namespace tapehead {

/// Updates a parameter and its moments in one pass over memory: calls update(x, g, moment...) with
/// a register of each, of which it changes x and the moments. The gradient's are g.
template <class T, class Update, class... Moment>
void one_pass(Parameter& parameter, const Tensor& gradient, const Update& update,
              Moment&... moments) {
  const auto loop = [&](T* p, auto*... m) {
    const T* g = gradient.data<T>();
    for (Index at = 0; at < gradient.size(); at += lanes<T>) {
      const Index part = std::min(lanes<T>, gradient.size() - at);
      prefetch_ahead(p + at);
      prefetch_ahead(g + at);
      (prefetch_ahead(m + at), ...);
      const auto in_registers = [&](Vec<T> x, auto... moment) {
        update(x, load_part(g + at, part), moment...);
        store_part(p + at, part, x);
        (store_part(m + at, part, moment), ...);
      };
      in_registers(load_part(p + at, part), load_part(m + at, part)...);
    }
  };
  loop(parameter.change<T>(), moments.template mutable_data<T>()...);
}

}  // namespace tapehead
