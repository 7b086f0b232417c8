#pragma once
// What the files of the module share.
#include <tapehead/cli.hpp>

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>

namespace tapehead {

namespace py = pybind11;
using namespace py::literals;

/// The tensor that a value of Python is, or that of a parameter, which tapes watch from then on;
/// null for anything else.
const Tensor* tensor_in(py::handle value);
/// The same of a value that is known to be a tensor or a parameter. Throws if its __init__ hasn't
/// been called.
const Tensor& watched_tensor_in(py::handle value);
/// The tensor of a value that is known to be a tensor or a parameter, to be looked at: unwatched.
const Tensor& value_in(py::handle value);
/// A tensor as it is; a copy of anything that NumPy makes an array of. Its own arrays keep f32 and
/// f64, f16 becomes f32, integers and truth values i32. Numbers get the type `number`, as lists of
/// floats do. Throws ValueError for other elements, and for integers that i32 has no room for.
Tensor to_tensor(py::handle value, DType number = DType::f64);
/// Returns the same next to a tensor of this type: everything becomes floats of it. Next to i32,
/// floats stay floats. Operands of a comparison keep their exact value: integers other than a
/// Python int stay i32, and floats next to i32 are f64.
enum class Operand { computed, compared };
Tensor to_tensor_beside(py::handle value, DType type, Operand use = Operand::computed);
/// Where integers stand next to floats, converts them to the type of the floats, or, for a
/// comparison, both to f64, which holds each i32 and f32.
void unify(Tensor& a, Tensor& b, Operand use);
/// f32, f64 or i32, from that name, or from what NumPy takes for a type.
DType dtype_in(py::handle value);

/// x[index] as NumPy has it: integers, slices, None, `...`, arrays of integers, masks of booleans.
Tensor indexed(const Tensor& x, py::handle index);

/// Whether this thread computes in the default floating-point mode, as far as that is quick to
/// know: reading two registers takes nanoseconds, and setting the mode a third of a microsecond.
inline bool computes_by_default() {
#ifdef __x86_64__
  unsigned short x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  constexpr unsigned flags = 0x3f;  // of what has happened, which change nothing
  return (__builtin_ia32_stmxcsr() & ~flags) == 0x1f80 && x87 == 0x37f;
#else
  return false;
#endif
}
/// The number of tapes that other threads have closed and their own threads haven't ended yet.
inline std::atomic<int> closed_elsewhere{0};
/// Ends this thread's. Needs the GIL.
void finish_closed_elsewhere();

/// The default mode for as long as it lives: other libraries of the process may have set another.
/// Each call from Python begins with one, so it also ends tapes that other threads have closed.
class DefaultFloatMode {
 public:
  DefaultFloatMode() {
    if (closed_elsewhere.load(std::memory_order_relaxed) > 0) finish_closed_elsewhere();
    if (!computes_by_default()) set_.emplace();
  }

 private:
  std::optional<FloatMode> set_;
};

/// Tells Python of the exception that is being handled.
void raise_in_python();
/// What f returns, or null with an exception of Python's: for functions that Python calls directly.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    const DefaultFloatMode computing;
    return f();
  } catch (...) {
    raise_in_python();
    return nullptr;
  }
}
/// A new object of Python, made without a search for the type.
PyObject* to_python(Tensor&& x);

/// A function that computes has one of these in its definition. With the second, other threads of
/// Python go on while it runs.
using Computing = py::call_guard<DefaultFloatMode>;
using WithoutGil = py::call_guard<DefaultFloatMode, py::gil_scoped_release>;
/// f() while they do.
template <class F>
auto without_gil(F&& f) {
  const py::gil_scoped_release released;
  return f();
}
/// f() while they do if it is worth it: to let them costs as much as adding a thousand numbers.
template <class F>
auto without_gil_if_large(Index elements, F&& f) {
  return elements > 4096 ? without_gil(f) : f();
}

struct Run : LoadedRun {
  std::string path;
};

inline const Registry& registry() {
  static const Registry all = make_registry();
  return all;
}

/// The slots of a type whose values are tensors or parameters: operators, comparisons, indexing.
void bind_operators(PyHeapTypeObject* type);
/// For the setup of a type: gives its objects a __dict__ that garbage collection follows, also
/// where Python derives classes from it. With py::dynamic_attr, Python 3.11 counts that dict twice
/// in derived classes, and so never collects a cycle.
void bind_attributes(PyHeapTypeObject* type);
/// Every op of the table as a function of the module, and as a method of these types.
void bind_ops(py::module_& module, const std::vector<py::object>& types);
void bind_tensors(py::module_& module);
void bind_creation(py::module_& module);
void bind_tape(py::module_& module);
void bind_derivatives(py::module_& module);
void bind_parameters(py::module_& module);
void bind_modules(py::module_& module);
void bind_optimizers(py::module_& module);
void bind_weights(py::module_& module);
void bind_runs(py::module_& module);
void bind_samples(py::module_& module);
constexpr const char* no_init_message = "an object is used whose __init__() hasn't been called";
/// Makes misuse of the module's types an exception: objects that __init__ hasn't made, and copies
/// of what can't be copied. Comes after all classes.
void protect_types(py::module_& module);
/// Says in one line which argument of a bound function is wrong. Comes after all functions.
void explain_arguments(py::module_& module);

}  // namespace tapehead

/// A function of Python, which is given a list of tensors.
template <>
struct pybind11::detail::type_caster<tapehead::Function> {
  using OfList = std::function<tapehead::Tensor(const std::vector<tapehead::Tensor>&)>;
  PYBIND11_TYPE_CASTER(tapehead::Function, const_name("Callable"));
  bool load(handle from, bool convert) {
    make_caster<OfList> f;
    if (!f.load(from, convert)) return false;
    value = cast_op<OfList>(std::move(f));
    return true;
  }
};
