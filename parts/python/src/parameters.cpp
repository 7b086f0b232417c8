// Parameters: trainable tensors.
#include "elements.hpp"

namespace tapehead {
namespace {

/// Sets whether an optimizer such as Muon treats the parameter as one matrix.
void set_matrix(Parameter& parameter, bool matrix) {
  if (matrix == !parameter.matrices.empty())
    return;  // already so; a layer's parameter can have several matrices
  if (matrix && parameter.shape.rank() != 2)
    throw ValueError("Parameter: matrix=True requires two axes, got the shape {}", parameter.shape);
  parameter.matrices = matrix ? std::vector<Index>{parameter.shape[0]} : std::vector<Index>{};
}

/// Creates a parameter of type dtype; by default of the tensor's type, or f32 for other values.
std::shared_ptr<Parameter> parameter_of(const py::object& value, const py::object& dtype,
                                        const std::optional<bool>& decay, bool trainable,
                                        const std::optional<bool>& matrix) {
  const Tensor* const x = tensor_in(value);
  const DType type = !dtype.is_none() ? dtype_in(dtype) : x ? x->dtype() : DType::f32;
  const Pause pause;
  const Tensor first = cast(to_tensor_beside(value, type), type);
  if (!first.is_float())
    throw TypeError("Parameter: must be f32 or f64, got {}, which has no gradient", first.dtype());
  auto parameter = std::make_shared<Parameter>(first.shape(), Init::constant(0),
                                               decay.value_or(first.rank() > 1));
  parameter->dtype = type;
  parameter->trainable = trainable;
  set_matrix(*parameter, matrix.value_or(first.rank() == 2));
  parameter->set(first.detached());
  return parameter;
}

}  // namespace

void bind_parameters(py::module_& module) {
  py::class_<Parameter, std::shared_ptr<Parameter>> parameter(
      module, "Parameter",
      "A trainable tensor. It is used like a tensor and is watched when it is used while a tape "
      "records. Created from the same values as a tensor, as f32 unless dtype is f64. Weight decay "
      "applies to parameters with two or more axes unless decay is given. Muon trains parameters "
      "with two axes as matrices unless matrix is given.",
      py::custom_type_setup([](PyHeapTypeObject* type) {
        bind_operators(type);
        bind_attributes(type);
      }));
  bind_elements(parameter);
  parameter
      .def(py::init(&parameter_of), "value"_a, "dtype"_a = py::none(), "decay"_a = py::none(),
           "trainable"_a = true, "matrix"_a = py::none(), Computing())
      .def_property(
          "value", [](const Parameter& p) { return p.value(); },
          py::cpp_function([](Parameter& p,
                              const py::object& value) { p.set(to_tensor_beside(value, p.dtype)); },
                           Computing()),
          "The current value, a tensor that isn't watched. A new value must have the same shape "
          "and "
          "type; arrays and lists are converted.")
      .def_readwrite("trainable", &Parameter::trainable,
                     "Whether it is trained. False freezes it: no gradient, no updates.")
      .def_readwrite("decay", &Parameter::decay, "Whether weight decay applies.")
      .def_property(
          "matrix", [](const Parameter& p) { return !p.matrices.empty(); }, &set_matrix,
          "Whether Muon trains it as a matrix. False for embedding tables and output heads.")
      .def_property_readonly(
          "path", [](const Parameter& p) { return p.path; }, "Its path in its module.")
      // The flags that copies and pickles keep.
      .def_property(
          "_flags",
          [](const Parameter& p) {
            return py::make_tuple(p.trainable, p.decay, p.matrices, p.path);
          },
          [](Parameter& p, const py::tuple& flags) {
            p.trainable = flags[0].cast<bool>(), p.decay = flags[1].cast<bool>();
            p.matrices = flags[2].cast<std::vector<Index>>(), p.path = flags[3].cast<std::string>();
          })
      .def(
          "__repr__",
          [](const Parameter& p) {
            return fmt::format("parameter({}, {}, {}{})", to_string(p.value()), p.shape, p.dtype,
                               p.trainable ? "" : ", frozen");
          },
          Computing());
}

}  // namespace tapehead
