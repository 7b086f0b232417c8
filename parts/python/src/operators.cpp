// The operators of tensors, as type slots: Python calls these without looking up a method, and most
// calls in a notebook are operators.
#include "bindings.hpp"

#include <optional>

namespace tapehead {
namespace {

using Binary = Tensor(const Tensor&, const Tensor&);

struct Operands {
  Tensor a, b;
};

/// Returns whether operators convert the value to a tensor: true for numbers, lists and arrays.
bool becomes_tensor(py::handle value) {
  PyObject* const x = value.ptr();
  return PyFloat_Check(x) || PyLong_Check(x) || PyList_Check(x) || PyTuple_Check(x) ||
         PyObject_HasAttrString(x, "__array__") != 0;
}

/// Returns both operands as tensors of one type; nullopt if Python should try the other operand's
/// operator.
std::optional<Operands> operands(py::handle left, py::handle right, Operand use) {
  const Tensor *const a = tensor_in(left), *const b = tensor_in(right);
  if (!a && !b) watched_tensor_in(left);  // this call throws, because __init__ wasn't called
  if ((!a && !becomes_tensor(left)) || (!b && !becomes_tensor(right))) return std::nullopt;
  Operands x{a ? *a : to_tensor_beside(left, b->dtype(), use),
             b ? *b : to_tensor_beside(right, a->dtype(), use)};
  unify(x.a, x.b, use);
  return x;
}

template <Binary* op, Operand use = Operand::computed>
PyObject* computed(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    const std::optional<Operands> x = operands(left, right, use);
    if (!x) return py::handle(Py_NotImplemented).inc_ref().ptr();
    const Index size = std::max(x->a.size(), x->b.size());
    return to_python(without_gil_if_large(size, [&] { return op(x->a, x->b); }));
  });
}

/// Computes a / b; converts integers to floats first.
Tensor divided(const Tensor& a, const Tensor& b) {
  if (a.is_float()) return div(a, b);
  return div(cast(a, DType::f32), cast(b, DType::f32));
}

/// Computes a @ b. A vector a is a row, a vector b a column; their axis of size 1 is removed from
/// the result.
Tensor product(const Tensor& a, const Tensor& b) {
  const bool row = a.rank() == 1, column = b.rank() == 1;
  if (!row && !column) return matmul(a, b);
  const Tensor y = matmul(row ? reshape(a, {1, a.dim(0)}) : a,      // (..., 1, k)
                          column ? reshape(b, {b.dim(0), 1}) : b);  // (..., k, 1)
  Shape shape = y.shape().slice(0, row ? -2 : -1);
  if (!column) shape.push_back(y.dim(-1));
  return reshape(y, shape);
}

/// Computes pow(left, right). Python's three-argument pow isn't supported.
PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return py::handle(Py_NotImplemented).inc_ref().ptr();
  return computed<static_cast<Binary*>(&pow)>(left, right);
}

PyObject* negative(PyObject* self) {
  return guarded([&] {
    const Tensor& x = watched_tensor_in(self);
    return to_python(x.is_float() ? neg(x) : sub(scalar(0, DType::i32), x));
  });
}
PyObject* positive(PyObject* self) { return py::handle(self).inc_ref().ptr(); }
PyObject* absolute(PyObject* self) {
  return guarded([&] { return to_python(abs(watched_tensor_in(self))); });
}

Tensor greater(const Tensor& a, const Tensor& b) { return less(b, a); }
Tensor greater_equal(const Tensor& a, const Tensor& b) { return less_equal(b, a); }
Tensor unequal(const Tensor& a, const Tensor& b) { return sub(scalar(1, DType::i32), equal(a, b)); }

template <Binary* op>
PyObject* truth(PyObject* left, PyObject* right) {
  return computed<op, Operand::compared>(left, right);
}
PyObject* compared(PyObject* left, PyObject* right, int how) {
  switch (how) {
    case Py_LT:
      return truth<less>(left, right);
    case Py_LE:
      return truth<less_equal>(left, right);
    case Py_GT:
      return truth<greater>(left, right);
    case Py_GE:
      return truth<greater_equal>(left, right);
    case Py_EQ:
      return truth<equal>(left, right);
    default:
      return truth<unequal>(left, right);
  }
}

PyObject* at(PyObject* self, PyObject* index) {
  return guarded([&] { return to_python(indexed(watched_tensor_in(self), index)); });
}
PyObject* at_number(PyObject* self, Py_ssize_t index) {
  return guarded([&] {
    const Tensor& x = watched_tensor_in(self);
    if (x.rank() == 0) throw py::type_error("a tensor of shape () can't be iterated");
    return to_python(indexed(x, py::int_(index)));
  });
}
Py_ssize_t length(PyObject* self) {
  Py_ssize_t found = -1;
  guarded([&]() -> PyObject* {
    const Tensor& x = value_in(self);
    if (x.rank() == 0) throw py::type_error("len: a tensor of shape () has no first axis");
    found = static_cast<Py_ssize_t>(x.dim(0));
    return nullptr;
  });
  return found;
}
int refused(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(
      PyExc_TypeError,
      "tensors are immutable; create a new one with where(mask, new, x) or concat, or a "
      "writable array with x.numpy().copy()");
  return -1;
}

PyObject* as_float(PyObject* self) {
  return guarded([&] { return PyFloat_FromDouble(value_in(self).item()); });
}
PyObject* as_int(PyObject* self) {
  return guarded([&] { return PyLong_FromDouble(value_in(self).item()); });
}
PyObject* as_index(PyObject* self) {
  return guarded([&] {
    const Tensor& x = value_in(self);
    if (x.dtype() != DType::i32 || x.rank() > 0)
      throw py::type_error(
          fmt::format("an index must be an integer, got a tensor of {} {}", x.dtype(), x.shape()));
    return PyLong_FromDouble(x.item());
  });
}
int as_bool(PyObject* self) {
  int found = -1;
  guarded([&]() -> PyObject* {
    const Tensor& x = value_in(self);
    if (x.size() != 1)
      throw ValueError(
          "bool: a tensor {} has no single truth value; use x.numpy().any() or x.numpy().all()",
          x.shape());
    found = x.item() != 0;
    return nullptr;
  });
  return found;
}

}  // namespace

void bind_operators(PyHeapTypeObject* type) {
  PyNumberMethods& number = type->as_number;
  number.nb_add = computed<static_cast<Binary*>(&add)>;
  number.nb_subtract = computed<static_cast<Binary*>(&sub)>;
  number.nb_multiply = computed<static_cast<Binary*>(&mul)>;
  number.nb_true_divide = computed<divided>;
  number.nb_matrix_multiply = computed<product>;
  number.nb_power = power;
  number.nb_negative = negative;
  number.nb_positive = positive;
  number.nb_absolute = absolute;
  number.nb_float = as_float;
  number.nb_int = as_int;
  number.nb_index = as_index;
  number.nb_bool = as_bool;
  type->as_mapping.mp_subscript = at;
  type->as_mapping.mp_length = length;
  type->as_mapping.mp_ass_subscript = refused;
  type->as_sequence.sq_item = at_number;  // lets `for` iterate over the first axis
  type->as_sequence.sq_length = length;
  type->ht_type.tp_richcompare = compared;
  // Hashes the identity, since == compares elements.
  type->ht_type.tp_hash = PyBaseObject_Type.tp_hash;
}

}  // namespace tapehead
