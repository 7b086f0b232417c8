// Tensors, and conversion from and to NumPy.
#include "elements.hpp"

namespace tapehead {
namespace {

/// Converts another library's array through DLPack. Shares the array's memory if it is contiguous
/// and of a supported type; otherwise copies it.
Tensor from_dlpack(const py::object& from) {
  const py::array array = py::module_::import("numpy").attr("from_dlpack")(from);
  const auto ours = [&](auto zero) {
    return py::isinstance<py::array_t<decltype(zero), py::array::c_style>>(array);
  };
  for (const DType dtype : {DType::f32, DType::f64, DType::i32}) {
    if (!dispatch(dtype, ours)) continue;
    auto* const first = static_cast<std::byte*>(const_cast<void*>(array.data()));
    const auto release = [owner = py::handle(array).inc_ref()](std::byte*) {
      run_with_gil([owner] { owner.dec_ref(); });
    };
    return Tensor::over({first, release}, Shape(array.shape(), array.shape() + array.ndim()),
                        dtype);
  }
  return to_tensor(array);
}

/// Creates a tensor from a value, of type dtype if given; otherwise Python floats become f32.
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
                            "An immutable array in row-major order, of the type f32, f64 or i32.",
                            py::custom_type_setup(&bind_operators));
  bind_elements(tensor);
  tensor.def(
      "__repr__",
      [](const Tensor& x) {
        return fmt::format("tensor({}, {}, {})", to_string(x), x.shape(), x.dtype());
      },
      Computing());
  module.def(
      "tensor", &made, "value"_a, "dtype"_a = py::none(), Computing(),
      "Creates a tensor from a number, nested lists, or anything NumPy converts to an array, "
      "copying the elements. Python floats become f32 unless dtype is f64; arrays keep their "
      "type.");
  module.def(
      "exact", [](const py::object& value) { return to_tensor(value); }, Computing());
  module.def(
      "from_dlpack", &from_dlpack, "x"_a, Computing(),
      "Returns a tensor that shares the elements of another program's CPU array, which must not "
      "change afterwards. Copies arrays that aren't contiguous f32, f64 or i32.");
}

}  // namespace tapehead
