#include "recompute.hpp"
#include "../core/custom_gradient.hpp"
#include "../core/derivatives.hpp"
#include "../core/substitution.hpp"

namespace tapehead {

Tensor recompute(const std::vector<Tensor>& inputs, const std::vector<const Parameter*>& parameters,
                 Pass& pass, const std::function<Tensor(const std::vector<Tensor>&, Pass&)>& f) {
  if (!Tape::current() || KeepActivations::is_alive()) return f(inputs, pass);
  const std::size_t before = pass.added.size();
  // Returns the result of f, followed by the losses that f adds to the pass.
  const auto results = [=](Pass& own) {
    std::vector<Tensor> all = {f(inputs, own)};
    for (std::size_t i = before; i < own.added.size(); ++i) all.push_back(own.added[i].x);
    return all;
  };
  const auto joined = [](const std::vector<Tensor>& all) {
    return all.size() == 1 ? all[0] : flatten(all);
  };
  const auto again = [=, at = pass, values = Substitution::current()] {
    const Substitution as_before(values);
    Pass repeated = at;  // a copy, to draw the same random numbers again
    return joined(results(repeated));
  };
  std::vector<Tensor> all;
  for (const Tensor& x : inputs)
    if (x) all.push_back(x);
  for (const Parameter* parameter : parameters) all.push_back(*parameter);
  std::vector<Tensor> parts;
  Tensor y;
  {
    const Pause pause;
    parts = results(pass);
    y = joined(parts).detached();
  }
  y = recomputed(y, all, again);
  if (parts.size() == 1) return y;
  parts = unflatten(y, parts);
  for (std::size_t i = 1; i < parts.size(); ++i) pass.added[before + i - 1].x = parts[i];
  return parts[0];
}

}  // namespace tapehead
