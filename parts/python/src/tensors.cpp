// Tensors, how they come from NumPy and go there, and every op of the table on them.
#include "bindings.hpp"

#include "../../../cli/explain/calls.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

Shape shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }

template <class T>
Tensor copied(const py::array& from) {
  const py::array_t<T, py::array::c_style | py::array::forcecast> rows(from);
  Tensor x = Tensor::empty(shape_of(from), dtype_of<T>());
  std::copy_n(rows.data(), x.size(), x.mutable_data<T>());
  return x;
}

/// An array of the tensor's own elements, which live as long as it does.
py::array elements(const py::object& self, bool writable) {
  const auto& x = self.cast<const Tensor&>();
  py::array array = dispatch(x.dtype(), [&](auto zero) -> py::array {
    return py::array_t(x.shape(), x.data<decltype(zero)>(), self);
  });
  if (!writable) array.attr("setflags")("write"_a = false);
  return array;
}

/// The elements of another program's array themselves where they lie row by row and have a type of
/// ours; a copy of them elsewhere.
Tensor from_dlpack(const py::object& from) {
  const py::array array = py::module_::import("numpy").attr("from_dlpack")(from);
  const auto ours = [&](auto zero) {
    return py::isinstance<py::array_t<decltype(zero), py::array::c_style>>(array);
  };
  for (const DType dtype : {DType::f32, DType::f64, DType::i32}) {
    if (!dispatch(dtype, ours)) continue;
    auto* const first = static_cast<std::byte*>(const_cast<void*>(array.data()));
    const auto release = [owner = py::handle(array).inc_ref()](std::byte*) {
      const py::gil_scoped_acquire acquired;
      owner.dec_ref();
    };
    return Tensor::over({first, release}, shape_of(array), dtype);
  }
  return to_tensor(array);
}

OptionValue option_value(py::handle given) {
  if (py::isinstance<py::str>(given)) return {{}, given.cast<std::string>()};
  if (py::isinstance<py::sequence>(given)) return {given.cast<std::vector<double>>(), ""};
  return {{given.cast<double>()}, ""};
}

/// An op by its name, as an expression of `tapehead explain` calls it; None is what isn't given.
/// Plain numbers get the type of the first tensor.
Tensor call(const std::string& name, const std::vector<py::object>& tensors,
            const std::map<std::string, py::object>& options) {
  const Callable& op = find_callable(name);
  CallArguments called{{}, {}, name};
  DType number = DType::f64;
  for (auto given = tensors.rbegin(); given != tensors.rend(); ++given)
    if (py::isinstance<Tensor>(*given)) number = given->cast<const Tensor&>().dtype();
  for (const py::object& given : tensors) {
    const bool needed = op.variadic() || called.tensors.size() < op.required();
    called.tensors.push_back(given.is_none() && !needed ? Tensor() : to_tensor(given, number));
  }
  for (const auto& [option, given] : options)
    if (!given.is_none()) called.options[option] = option_value(given);
  return without_gil([&] { return op.run(called); });
}

}  // namespace

Tensor to_tensor(py::handle value, DType number) {
  if (py::isinstance<Tensor>(value)) return value.cast<Tensor>();
  if (PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr())) {
    const auto x = value.cast<double>();
    if (number == DType::i32 && x != std::floor(x))
      throw ValueError("tensor: {} is no whole number", x);
    return cast(scalar(x, DType::f64), number);
  }
  const py::array array = py::module_::import("numpy").attr("asarray")(value).cast<py::array>();
  const char kind = array.dtype().kind();
  // Asked of NumPy itself: pybind11 before 2.12 looks for it where NumPy 1 had it.
  const auto bytes = array.attr("itemsize").cast<int>();
  if (kind == 'f' && bytes < 8) return copied<float>(array);
  if (kind == 'f' && bytes == 8) return copied<double>(array);
  if (kind != 'i' && kind != 'u' && kind != 'b')
    throw ValueError("tensor: takes floats of at most 64 bits, integers and truth values, not {}",
                     py::str(array.dtype()).cast<std::string>());
  return cast(copied<double>(array), DType::i32);  // which finds what there is no room for
}

void bind_tensors(py::module_& module) {
  py::class_<Tensor>(module, "Tensor",
                     "Elements in rows, of the type f32, f64 or i32, which never change.")
      .def_property_readonly(
          "shape", [](const py::object& self) { return elements(self, false).attr("shape"); },
          "The sizes of the axes.")
      .def_property_readonly(
          "dtype", [](const Tensor& x) { return to_string(x.dtype()); }, "f32, f64 or i32.")
      .def(
          "numpy", [](const py::object& self) { return elements(self, false); },
          "The elements as an array that can't be written, without a copy.")
      .def("__dlpack__",
           [](const py::object& self, const py::kwargs& how) {
             return elements(self, true).attr("__dlpack__")(**how);
           })
      .def("__dlpack_device__", [](const Tensor&) { return std::make_pair(1, 0); })  // the CPU
      .def("item", &Tensor::item, Computing(), "The number, of a tensor that has one element.")
      .def("__len__", [](const Tensor& x) { return x.dim(axis_of("len", x.shape(), 0)); })
      .def("__float__", &Tensor::item, Computing())
      .def(
          "__bool__", [](const Tensor& x) { return x.item() != 0; }, Computing())
      .def(
          "__repr__",
          [](const Tensor& x) {
            return fmt::format("tensor({}, {}, {})", to_string(x), x.shape(), x.dtype());
          },
          Computing());
  py::list ops;
  for (const Callable& op : callables())
    ops.append(py::make_tuple(op.name, op.tensors, op.options, find_op(op.name)->formula));
  module.attr("ops") = ops;
  module.def("call", &call, Computing());
  module.def(
      "tensor", [](py::object value) { return to_tensor(value); }, "value"_a, Computing(),
      "A tensor of what NumPy makes an array of. It has a copy of the elements.");
  module.def(
      "from_dlpack", &from_dlpack, "x"_a, Computing(),
      "A tensor of the elements themselves of another program's array on the CPU, which must "
      "not change any more. A copy where they don't lie row by row as f32, f64 or i32.");
}

}  // namespace tapehead
