// Gradients as Python objects: looked up, added, scaled, clipped, and made from a dict.
#include "bindings.hpp"

#include "../../../optim/clip.hpp"

namespace tapehead {
namespace {

/// Returns the name of a parameter among these, or throws ValueError.
std::string name_among(const py::dict& parameters, const py::object& parameter) {
  for (const auto& [name, object] : parameters)
    if (object.is(parameter)) return name.cast<std::string>();
  throw ValueError("step: the optimizer doesn't train a parameter of shape {}",
                   value_in(parameter).shape());
}

/// Returns the Parameter object that a key of a dict of gradients names.
py::object parameter_of_key(const py::dict& parameters, const py::object& key) {
  if (py::isinstance<Parameter>(key)) return key;
  if (!py::isinstance<py::str>(key))
    throw py::type_error(fmt::format("step: the keys must be parameters or their names, got a {}",
                                     Py_TYPE(key.ptr())->tp_name));
  if (!parameters.contains(key))
    throw ValueError("step: the optimizer trains no parameter '{}'; optimizer.parameters has all",
                     key.cast<std::string>());
  return parameters[key];
}

Gradients scaled_by(const Gradients& all, double factor) { return Gradients(all).scaled(factor); }

}  // namespace

Gradients gradients_in(const py::dict& given, const py::dict& parameters) {
  std::vector<std::pair<Tensor, Tensor>> all;
  for (const auto& [key, value] : given) {
    const auto object = parameter_of_key(parameters, py::reinterpret_borrow<py::object>(key));
    const std::string name = name_among(parameters, object);
    const Tensor x = object.cast<const Parameter&>().value();
    const Pause pause;
    const Tensor gradient = cast(to_tensor_beside(value, x.dtype()), x.dtype());
    if (gradient.shape() != x.shape())
      throw ShapeError("step: the gradient of '{}' has the shape {}, expected {}", name,
                       gradient.shape(), x.shape());
    all.emplace_back(x, gradient);
  }
  return Gradients::from_pairs(all);
}

void bind_gradients(py::module_& module) {
  py::class_<Gradients>(module, "Gradients",
                        "The gradients of all watched tensors: gradients[x] is the gradient of x. "
                        "They can be added, and multiplied or divided by a number.")
      .def(
          "__getitem__",
          [](const Gradients& all, const py::object& x) {
            if (!tensor_in(x))
              throw py::type_error("gradients[x]: x must be a tensor or a parameter");
            return all[value_in(x)];
          },
          Computing())
      .def("__contains__",
           [](const Gradients& all, const py::object& x) {
             return tensor_in(x) && all.contains(value_in(x));
           })
      .def(
          "__add__",
          [](const Gradients& a, const Gradients& b) {
            return Gradients::sum({a, b});
          },
          Computing(), py::is_operator())
      .def(
          "__radd__",
          [](const Gradients& all, const py::int_& zero) -> py::object {  // sum() starts with 0
            if (!zero.equal(py::int_(0)))
              return py::reinterpret_borrow<py::object>(Py_NotImplemented);
            return py::cast(all);
          },
          py::is_operator())
      .def("__mul__", &scaled_by, py::is_operator())
      .def("__rmul__", &scaled_by, py::is_operator())
      .def(
          "__truediv__", [](const Gradients& all, double by) { return scaled_by(all, 1 / by); },
          py::is_operator())
      .def_property_readonly(
          "norm",
          py::cpp_function([](const Gradients& all) { return global_norm(all); }, Computing()),
          "The norm of all gradients together.")
      .def(
          "clip", [](const Gradients& all, double most) { return clip(all, most); }, "norm"_a,
          Computing(),
          "Returns the gradients scaled so that their norm is at most `norm`; 0 for no limit.");
}

}  // namespace tapehead
