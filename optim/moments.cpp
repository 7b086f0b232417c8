#include "moments.hpp"

namespace tapehead {

void check_option(const char* optimizer, const char* name, double value, double low, double below) {
  if (!(value >= low && value < below))
    throw ValueError("{}: {} is {}, and must be at least {} and below {}", optimizer, name, value,
                     low, below);
}

std::vector<Tensor> zeros_like(const std::vector<Parameter*>& parameters) {
  std::vector<Tensor> all;
  for (const Parameter* p : parameters) all.push_back(zeros(p->shape, p->value().dtype()));
  return all;
}

std::vector<Optimizer::State> named_states(const char* moment,
                                           const std::vector<Parameter*>& parameters,
                                           std::vector<Tensor>& tensors) {
  std::vector<Optimizer::State> states;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i])
      states.push_back({fmt::format("{}.{}", moment, parameters[i]->path), &tensors[i]});
  return states;
}

}  // namespace tapehead
