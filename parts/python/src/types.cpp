// Makes misuse of the module's types raise exceptions instead of crashing Python.
#include "bindings.hpp"

#include <cstddef>

namespace tapehead {
namespace {

int visit_attributes(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(*_PyObject_GetDictPtr(self));
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int clear_attributes(PyObject* self) {
  Py_CLEAR(*_PyObject_GetDictPtr(self));
  return 0;
}
void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  py::detail::pybind11_object_dealloc(self);
}

/// The types' operator new. pybind11 calls it for an argument whose __init__ wasn't called.
void* reject_allocation(std::size_t) { throw py::type_error(no_init_message); }

/// pybind11's tp_new, which aborts the process for a class that isn't bound.
newfunc bound_new = nullptr;
PyObject* checked_new(PyTypeObject* type, PyObject* args, PyObject* named) {
  if (!py::detail::all_type_info(type).empty()) return bound_new(type, args, named);
  PyErr_Format(PyExc_TypeError, "%s: objects of this type can't be created", type->tp_name);
  return nullptr;
}

/// Replaces bound_new by checked_new in a type and its subclasses; Python requires them to agree.
void check_new(py::handle type) {
  auto& made = *reinterpret_cast<PyTypeObject*>(type.ptr());
  if (made.tp_new == bound_new) made.tp_new = checked_new;
  for (const py::handle each : type.attr("__subclasses__")()) check_new(each);
}

void refuse_pickle(py::handle type) {
  type.attr("__reduce__") = py::cpp_function(
      [](const py::object& self, const py::args&) -> py::object {
        throw py::type_error(
            fmt::format("cannot copy or pickle '{}' object", Py_TYPE(self.ptr())->tp_name));
      },
      py::name("__reduce__"), py::is_method(type));
}

}  // namespace

void bind_attributes(PyHeapTypeObject* type) {
  static PyGetSetDef attributes[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
  PyTypeObject& made = type->ht_type;
  made.tp_flags |= Py_TPFLAGS_HAVE_GC;
  made.tp_dictoffset = made.tp_basicsize;
  made.tp_basicsize += static_cast<Py_ssize_t>(sizeof(PyObject*));
  made.tp_traverse = visit_attributes;
  made.tp_clear = clear_attributes;
  made.tp_dealloc = deallocate;
  made.tp_getset = attributes;
}

void protect_types(py::module_& module) {
  const py::handle base = py::detail::get_internals().instance_base;
  bound_new = reinterpret_cast<PyTypeObject*>(base.ptr())->tp_new;
  check_new(base);
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    auto* const bound = PyType_Check(value.ptr()) ? py::detail::get_type_info(type) : nullptr;
    if (!bound) continue;
    bound->operator_new = reject_allocation;
    const bool pickled = value.attr("__dict__").contains("__reduce__") ||
                         value.attr("__dict__").contains("__getstate__");
    if (!pickled) refuse_pickle(value);
  }
}

}  // namespace tapehead
