// Tensors, and how they come from NumPy and go there.
#include "elements.hpp"

namespace tapehead {
namespace {

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
    return Tensor::over({first, release}, Shape(array.shape(), array.shape() + array.ndim()),
                        dtype);
  }
  return to_tensor(array);
}

/// A tensor of these elements, of one type where it is given; numbers and lists of them are f32.
Tensor made(const py::object& value, const py::object& dtype) {
  const DType type = dtype.is_none() ? DType::f32 : dtype_in(dtype);
  const bool whole_number = PyLong_CheckExact(value.ptr()) != 0 && dtype.is_none();
  const Tensor x = to_tensor(value, whole_number         ? DType::i32
                                    : type == DType::i32 ? DType::f64
                                                         : type);
  return dtype.is_none() || x.dtype() == type ? x : cast(x, type);
}

}  // namespace

void bind_tensors(py::module_& module) {
  py::class_<Tensor> tensor(module, "Tensor",
                            "Elements in rows, of the type f32, f64 or i32, which never change.",
                            py::custom_type_setup(&bind_operators));
  bind_elements(tensor);
  tensor.def(
      "__repr__",
      [](const Tensor& x) {
        return fmt::format("tensor({}, {}, {})", to_string(x), x.shape(), x.dtype());
      },
      Computing());
  module.def("tensor", &made, "value"_a, "dtype"_a = py::none(), Computing(),
             "A tensor of numbers, of lists of them, or of what NumPy makes an array of. It has a "
             "copy of the elements. Floats of Python become f32 unless dtype says f64; arrays keep "
             "their type.");
  module.def(
      "exact", [](const py::object& value) { return to_tensor(value); }, Computing());
  module.def(
      "from_dlpack", &from_dlpack, "x"_a, Computing(),
      "A tensor of the elements themselves of another program's array on the CPU, which must "
      "not change any more. A copy where they don't lie row by row as f32, f64 or i32.");
}

}  // namespace tapehead
