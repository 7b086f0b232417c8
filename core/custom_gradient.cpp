#include "custom_gradient.hpp"

#include <algorithm>

namespace tapehead {

Tensor custom_gradient(const Function& f, const std::vector<Tensor>& x,
                       const std::function<Grads(const Tensor& dy)>& backward) {
  Tensor y;
  {
    const Pause pause;
    const ClosedTape tape("custom_gradient", x);
    y = f(x).detached();
  }
  return record("custom_gradient", y, x, backward);
}

Tensor straight_through(const Function& f, const Tensor& x) {
  return custom_gradient(f, {x}, [](const Tensor& dy) { return Grads{dy}; });
}

Tensor recompute(const Function& f, const std::vector<Tensor>& x) {
  if (!Tape::current()) return f(x);
  const bool in_backward = std::any_of(x.begin(), x.end(), is_tracked);
  Tensor y;
  {
    const Pause pause;
    std::optional<ClosedTape> tape;  // only checks which tensors f reads
    if (!in_backward)
      tape.emplace("recompute", std::vector<Tensor>());  // backward won't run, so checks f now
    y = f(x).detached();
  }
  return recomputed(y, x, [=] { return f(x); });
}

Tensor recomputed(Tensor y, const std::vector<Tensor>& x, const std::function<Tensor()>& again) {
  const auto backward = [=](const Tensor& dy) {
    ClosedTape tape("recompute", x);
    const Gradients gradients = tape.backward(again(), dy, {false, false, true});
    Grads grads;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto is_same = [&](const Tensor& other) { return other.id() == x[i].id(); };
      const bool first =
          std::none_of(x.begin(), x.begin() + i, is_same);  // a repeated x gets its gradient once
      grads.push_back(first && gradients.contains(x[i]) ? gradients.stored(x[i]) : Tensor());
    }
    return grads;
  };
  return record("recompute", std::move(y), x, backward, again);
}

}  // namespace tapehead
