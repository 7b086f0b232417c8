#include "recompute.hpp"

namespace tapehead {

Tensor recompute(const std::vector<Tensor>& inputs, const std::vector<const Parameter*>& parameters,
                 Pass& pass, const std::function<Tensor(const std::vector<Tensor>&, Pass&)>& f) {
  if (!Tape::current()) return f(inputs, pass);
  const auto again = [=, at = pass] {  // with the same random numbers
    Pass repeated = at;
    return f(inputs, repeated);
  };
  std::vector<Tensor> all;
  for (const Tensor& x : inputs)
    if (x) all.push_back(x);
  for (const Parameter* parameter : parameters) all.push_back(*parameter);
  Tensor y;
  {
    const Pause pause;
    y = f(inputs, pass).detached();
  }
  const auto rule = [=](const Tensor& dy) {
    Tape tape;
    for (const Tensor& x : all)
      if (x.is_float()) tape.watch(x);
    tape.refuse_others("recompute");
    const Gradients gradients = tape.backward(again(), dy, {false, false, true});
    Grads grads;
    for (const Tensor& x : all)
      grads.push_back(gradients.contains(x) ? gradients.stored(x) : Tensor());
    return grads;
  };
  return record("recompute", y, all, rule, again);
}

}  // namespace tapehead
