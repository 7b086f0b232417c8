// Tensors, and how they come from NumPy and go there.
#include "bindings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

template <class T>
Tensor copied(const py::array& from) {
  const py::array_t<T, py::array::c_style | py::array::forcecast> rows(from);
  Tensor x = Tensor::empty(Shape(rows.shape(), rows.shape() + rows.ndim()), dtype_of<T>());
  std::copy_n(rows.data(), x.size(), x.mutable_data<T>());
  return x;
}

void check_i32(double low, double high) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (low < Limits::min() || high > Limits::max())
    throw ValueError("tensor: integers from {:.0f} to {:.0f}; i32 has room for {} to {}", low, high,
                     Limits::min(), Limits::max());
}

Tensor to_scalar(double value, DType dtype) {
  if (dtype == DType::i32) {
    if (value != std::floor(value)) throw ValueError("tensor: {} is no whole number", value);
    check_i32(value, value);
  }
  return scalar(value, dtype);
}

/// The elements themselves, to be read; they live as long as the array that is made of them.
py::buffer_info elements(const Tensor& x) {
  return dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<py::ssize_t> sizes(x.shape().begin(), x.shape().end()), strides(sizes.size());
    py::ssize_t bytes = sizeof(T);
    for (std::size_t axis = sizes.size(); axis-- > 0; bytes *= sizes[axis]) strides[axis] = bytes;
    return py::buffer_info(const_cast<T*>(x.data<T>()), sizes, strides, true);
  });
}

}  // namespace

Tensor to_tensor(py::handle value, DType number) {
  if (py::isinstance<Tensor>(value)) return value.cast<Tensor>();
  if (PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr()))
    return to_scalar(value.cast<double>(), number);
  const py::array array = py::module_::import("numpy").attr("asarray")(value).cast<py::array>();
  const char kind = array.dtype().kind();
  const py::ssize_t bytes = array.itemsize();
  if (kind == 'f' && bytes == 8) return copied<double>(array);
  if (kind == 'f' && bytes < 8) return copied<float>(array);
  if (kind != 'i' && kind != 'u' && kind != 'b')
    throw ValueError("tensor: takes floats of at most 64 bits, integers and truth values, not {}",
                     py::str(array.dtype()).cast<std::string>());
  if (array.size() > 0 && bytes >= 4)
    check_i32(array.attr("min")().cast<double>(), array.attr("max")().cast<double>());
  return copied<std::int32_t>(array);
}

void bind_tensors(py::module_& module) {
  py::class_<Tensor> tensor(module, "Tensor", py::buffer_protocol());
  tensor.def_buffer(&elements)
      .def_property_readonly(
          "shape",
          [](const Tensor& x) {
            return py::tuple(py::cast(std::vector<Index>(x.shape().begin(), x.shape().end())));
          })
      .def_property_readonly("dtype", [](const Tensor& x) { return to_string(x.dtype()); })
      .def(
          "numpy", [](py::object x) { return py::module_::import("numpy").attr("asarray")(x); },
          "The elements as an array that can't be written, without a copy.")
      .def("item", &Tensor::item)
      .def("__len__",
           [](const Tensor& x) {
             if (x.rank() == 0) throw ShapeError("len: a tensor of shape () has no first axis");
             return x.dim(0);
           })
      .def("__float__", &Tensor::item)
      .def("__bool__", [](const Tensor& x) { return x.item() != 0; })
      .def("__repr__", [](const Tensor& x) {
        return fmt::format("tensor({}, {}, {})", to_string(x), x.shape(), x.dtype());
      });
  tensor.attr("__array_ufunc__") = py::none();  // so that array + tensor asks the tensor
  module.def(
      "tensor", [](py::object value) { return to_tensor(value); }, py::arg("value"),
      "A tensor of what NumPy makes an array of. It has a copy of the elements.");
}

}  // namespace tapehead
