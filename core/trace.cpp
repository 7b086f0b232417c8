#include "trace.hpp"

namespace tapehead {

void notify_watched(const Tensor& x) {
  if (TapeListener* const listener = ListenerScope::current()) listener->watched(x);
}

void notify_computed(const OpCall& call, const Tensor& y, const Inputs& inputs) {
  TapeListener* const listener = ListenerScope::current();
  if (!listener) return;
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back(inputs[i]);
  listener->computed(call, y, all);
}

void notify_gradient(std::uint64_t x, const Tensor& dx) {
  if (TapeListener* const listener = ListenerScope::current()) listener->gradient_ready(x, dx);
}

void count_multiply_adds(double multiply_adds) {
  if (TapeListener* const listener = ListenerScope::current()) listener->multiplying(multiply_adds);
}

}  // namespace tapehead
