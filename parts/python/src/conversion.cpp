// Conversion of Python values to tensors.
#include "bindings.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns the T in a Python object, or null if it holds none. Faster than py::cast, which looks
/// up the type.
template <class T>
T* held(py::handle value) {
  static auto* const type = reinterpret_cast<PyTypeObject*>(py::type::of<T>().ptr());
  if (!PyObject_TypeCheck(value.ptr(), type)) return nullptr;
  auto* const object = reinterpret_cast<py::detail::instance*>(value.ptr());
  if (object->simple_layout) return static_cast<T*>(object->simple_value_holder[0]);
  return object->get_value_and_holder().template value_ptr<T>();
}

[[noreturn]] void refuse_bare(py::handle value) {
  throw py::type_error(
      fmt::format("expected a tensor, got a {} or an object whose __init__() hasn't been called",
                  Py_TYPE(value.ptr())->tp_name));
}

template <class T>
Tensor copied(const py::array& from) {
  const py::array_t<T, py::array::c_style | py::array::forcecast> rows(from);
  Tensor x = Tensor::empty(Shape(from.shape(), from.shape() + from.ndim()), dtype_of<T>());
  std::copy_n(rows.data(), x.size(), x.mutable_data<T>());
  return x;
}

bool is_list(py::handle value) {
  return py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
}

/// Throws if a list contains tensors recorded on a tape: copied elements would have no gradient.
void check_no_gradient(py::handle list) {
  for (const py::handle each : list)
    if (const Tensor* x = is_list(each) ? nullptr : tensor_in(each); x && is_tracked(*x))
      throw ValueError(
          "tensor: copying a list of tensors on a tape loses their gradients; stack(*list) keeps "
          "them");
}

}  // namespace

const Tensor* tensor_in(py::handle value) {
  if (const auto* x = held<Tensor>(value)) return x;
  const auto* parameter = held<Parameter>(value);
  return parameter ? &static_cast<const Tensor&>(*parameter) : nullptr;
}

const Tensor& watched_tensor_in(py::handle value) {
  if (const Tensor* const x = tensor_in(value)) return *x;
  refuse_bare(value);
}

const Tensor& value_in(py::handle value) {
  if (const auto* x = held<Tensor>(value)) return *x;
  if (const auto* parameter = held<Parameter>(value)) return parameter->value();
  refuse_bare(value);
}

PyObject* to_python(Tensor&& x) {
  static const auto* const type = py::detail::get_type_info(typeid(Tensor));
  return py::detail::type_caster_generic::cast(new Tensor(std::move(x)),
                                               py::return_value_policy::take_ownership, {}, type,
                                               nullptr, nullptr)
      .ptr();
}

Tensor to_tensor(py::handle value, DType number) {
  if (const Tensor* x = tensor_in(value)) return *x;
  if (PyFloat_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr())) {
    const auto x = value.cast<double>();
    if (number != DType::i32) return scalar(x, number);
    const Pause pause;
    return cast(scalar(x, DType::f64), number);  // throws if x doesn't fit in i32
  }
  if (is_list(value)) check_no_gradient(value);
  const py::array array = py::module_::import("numpy").attr("asarray")(value).cast<py::array>();
  const char kind = array.dtype().kind();
  // pybind11 before 2.12 reads its own itemsize() at an offset that is wrong for NumPy 2.
  const auto bytes = array.attr("itemsize").cast<int>();
  const bool narrow = is_list(value) && number == DType::f32;
  if (kind == 'f' && (bytes < 8 || (bytes == 8 && narrow))) return copied<float>(array);
  if (kind == 'f' && bytes == 8) return copied<double>(array);
  if (kind != 'i' && kind != 'u' && kind != 'b')
    throw ValueError("tensor: expected floats of at most 64 bits, integers or booleans, got {}",
                     py::str(array.dtype()).cast<std::string>());
  const Tensor exact = copied<double>(array);
  const Pause pause;
  return cast(exact, DType::i32);  // throws if an element doesn't fit in i32
}

Tensor to_tensor_beside(py::handle value, DType type, Operand use) {
  if (const Tensor* x = tensor_in(value)) return *x;
  const bool is_int = PyLong_Check(value.ptr()) != 0, exact = use == Operand::compared;
  const DType floats = exact ? DType::f64 : DType::f32;
  if (type == DType::i32) return to_tensor(value, is_int ? DType::i32 : floats);
  const Tensor x = to_tensor(value, type);
  if (x.dtype() == type || (exact && x.dtype() == DType::i32)) return x;
  const Pause pause;
  return cast(x, type);
}

void unify(Tensor& a, Tensor& b, Operand use) {
  if (a.is_float() == b.is_float()) return;
  if (use == Operand::computed) {
    Tensor& integers = a.is_float() ? b : a;
    integers = cast(integers, a.is_float() ? a.dtype() : b.dtype());
    return;
  }
  const Pause pause;  // comparisons have no gradient
  a = cast(a, DType::f64);
  b = cast(b, DType::f64);
}

DType dtype_in(py::handle value) {
  std::string name;
  if (py::isinstance<py::str>(value)) name = value.cast<std::string>();
  if (name == "f32" || name == "f64" || name == "i32")
    return name == "f32" ? DType::f32 : name == "f64" ? DType::f64 : DType::i32;
  try {
    const py::object dtype = py::module_::import("numpy").attr("dtype")(value);
    name = dtype.attr("name").cast<std::string>();
  } catch (py::error_already_set&) {
    name = py::repr(value).cast<std::string>();
  }
  if (py::isinstance<py::str>(value) && name.rfind("float", 0) == 0 && name.size() != 7)
    name = value.cast<std::string>();  // NumPy's name for "f16" is float128
  if (name == "float32") return DType::f32;
  if (name == "float64") return DType::f64;
  if (name == "int32" || name == "int64" || name == "bool") return DType::i32;
  throw ValueError("dtype must be f32, f64 or i32, got {}", name);
}

}  // namespace tapehead
