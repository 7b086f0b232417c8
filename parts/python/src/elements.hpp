#pragma once
// Members that tensors and parameters share, except for operators and ops.
#include "bindings.hpp"

namespace tapehead {

/// Returns an array that shares the tensor's elements and keeps them alive.
inline py::array elements(const py::object& self, bool writable) {
  const Tensor& x = value_in(self);
  // A parameter's value can be replaced while the array exists, so the array owns the tensor.
  const py::object owner = py::isinstance<Tensor>(self) ? self : py::cast(x);
  py::array array = dispatch(x.dtype(), [&](auto zero) -> py::array {
    return py::array_t(x.shape(), x.data<decltype(zero)>(), owner);
  });
  if (!writable) array.attr("setflags")("write"_a = false);
  return array;
}

inline py::tuple tuple_of(const Shape& shape) {
  py::tuple sizes(shape.rank());
  for (int axis = 0; axis < shape.rank(); ++axis) sizes[axis] = shape[axis];
  return sizes;
}

/// Reverses the order of all axes.
inline Tensor reverse_axes(const Tensor& x) {
  Axes order;
  for (int axis = x.rank() - 1; axis >= 0; --axis) order.push_back(axis);
  return permute(x, order);
}

template <class Class>
void bind_elements(Class& type) {
  type.def_property_readonly(
          "shape", [](const py::object& self) { return tuple_of(value_in(self).shape()); },
          "The sizes of the axes as a tuple.")
      .def_property_readonly(
          "ndim", [](const py::object& self) { return value_in(self).rank(); },
          "The number of axes.")
      .def_property_readonly(
          "size", [](const py::object& self) { return value_in(self).size(); },
          "The number of elements.")
      .def_property_readonly(
          "dtype", [](const py::object& self) { return to_string(value_in(self).dtype()); },
          "f32, f64 or i32.")
      .def_property_readonly(
          "T",
          py::cpp_function(
              [](const py::object& self) { return reverse_axes(watched_tensor_in(self)); },
              Computing()),
          "The tensor with its axes reversed: the transpose of a matrix.")
      .def(
          "numpy", [](const py::object& self) { return elements(self, false); },
          "Returns the elements as a read-only array, without a copy.")
      .def(
          "item",
          [](const py::object& self) -> py::object {
            const Tensor& x = value_in(self);
            if (x.is_float()) return py::float_(x.item());
            return py::int_(static_cast<Index>(x.item()));
          },
          Computing(), "Returns the number in a tensor with one element.")
      .def(
          "__round__",
          [](const py::object& self, const py::object& digits) {
            return py::module_::import("builtins").attr("round")(self.attr("item")(), digits);
          },
          "digits"_a = py::none())
      .def(
          "tolist", [](const py::object& self) { return elements(self, false).attr("tolist")(); },
          "Returns the elements as nested lists of numbers.")
      .def("__dlpack__",
           [](const py::object& self, const py::kwargs& how) {
             return elements(self, true).attr("__dlpack__")(**how);
           })
      .def("__dlpack_device__", [](const py::object&) { return std::make_pair(1, 0); })  // the CPU
      .def(
          "__format__",
          [](const py::object& self, const py::str& how) {
            const py::object shown =
                how.equal(py::str("")) ? py::object(py::str(self)) : self.attr("item")();
            return shown.attr("__format__")(how);
          },
          Computing());
}

}  // namespace tapehead
