// grad, vjp, jvp, hvp, jacobian and hessian, and custom gradients. _derivatives.py and
// _custom_gradient.py convert their arguments to lists.
#include "bindings.hpp"

namespace tapehead {
namespace {

/// A backward function written in Python, where None represents zeros.
using PythonBackward = std::function<std::vector<std::optional<Tensor>>(const Tensor& dy)>;

Tensor with_custom_gradient(const Function& f, const std::vector<Tensor>& x,
                            const PythonBackward& rule) {
  return custom_gradient(f, x, [=](const Tensor& dy) {
    Grads grads;
    for (const std::optional<Tensor>& each : rule(dy)) grads.push_back(each.value_or(Tensor()));
    return grads;
  });
}

/// Returns f(x) with activation checkpointing; f can use the parameters of `module` (or null).
Tensor recomputed_with(const Function& f, const std::vector<Tensor>& x, const Module* module) {
  std::vector<Tensor> all = x;
  if (module)  // parameters are inputs, so that tapes watch them before the recomputation
    for (const Parameter* parameter : parameters(*module)) all.push_back(*parameter);
  return recompute([=](const std::vector<Tensor>&) { return f(x); }, all);
}

}  // namespace

void bind_derivatives(py::module_& module) {
  py::enum_<Unused>(module, "Unused")  // created from the Python argument `zeros`
      .value("refused", Unused::refused)
      .value("zeros", Unused::zeros);
  module.def("grad", &grad, WithoutGil());
  module.def("vjp", &vjp, WithoutGil());
  module.def("jvp", &jvp, WithoutGil());
  module.def("hvp", &hvp, WithoutGil());
  module.def("jacobian", &jacobian, WithoutGil());
  module.def("hessian", &hessian, WithoutGil());
  module.def(
      "stop_gradient", [](const py::object& x) { return stop_gradient(to_tensor(x)); }, "x"_a,
      Computing(), "Returns x as a constant: no gradient flows through it.");
  module.def("custom_gradient", &with_custom_gradient, WithoutGil());
  module.def("straight_through", &straight_through, WithoutGil());
  module.def("recompute", &recomputed_with, WithoutGil());
  module.def("beside", [](const py::object& value, const std::vector<Tensor>& x) {
    return to_tensor_beside(value, x.empty() ? DType::f64 : x[0].dtype());
  });
}

}  // namespace tapehead
