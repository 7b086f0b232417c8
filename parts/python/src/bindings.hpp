#pragma once
// Declarations shared by the source files of the module.
#include <tapehead/cli.hpp>

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>

namespace tapehead {

namespace py = pybind11;
using namespace py::literals;

/// Returns the tensor of a Tensor or Parameter and makes tapes watch a Parameter; null for other
/// values.
const Tensor* tensor_in(py::handle value);
/// Like `tensor_in` for a value known to be a Tensor or Parameter. Throws if its __init__ wasn't
/// called.
const Tensor& watched_tensor_in(py::handle value);
/// Returns the tensor of a Tensor or Parameter for inspection, without watching it.
const Tensor& value_in(py::handle value);
/// Returns a tensor unchanged; converts other values with NumPy and copies the array. f32 and f64
/// arrays keep their type; f16 becomes f32, integers and booleans i32. Numbers and lists of floats
/// get the type `number`. Throws ValueError for other elements and integers that don't fit in i32.
Tensor to_tensor(py::handle value, DType number = DType::f64);
/// The use of an operand: in arithmetic, or in a comparison, which must see exact values.
enum class Operand { computed, compared };
/// Converts the other operand of a tensor of this type. `computed`: converts it to this type, but
/// keeps floats next to i32. `compared`: keeps integers, except a Python int, as i32, and converts
/// floats next to i32 to f64.
Tensor to_tensor_beside(py::handle value, DType type, Operand use = Operand::computed);
/// If one of the two has integers and the other floats, converts the integers to the floats' type;
/// for a comparison, converts both to f64, which represents every i32 and f32 exactly.
void unify(Tensor& a, Tensor& b, Operand use);
/// Converts "f32", "f64", "i32" or a NumPy dtype.
DType dtype_in(py::handle value);

/// Returns x[index] with NumPy's semantics: integers, slices, None, `...`, integer arrays and
/// boolean masks.
Tensor indexed(const Tensor& x, py::handle index);

/// Returns whether this thread surely uses the default floating-point mode. Reading its two
/// registers takes nanoseconds; setting the mode takes a third of a microsecond.
inline bool computes_by_default() {
#ifdef __x86_64__
  unsigned short x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  constexpr unsigned flags = 0x3f;  // exception flags, which don't affect results
  return (__builtin_ia32_stmxcsr() & ~flags) == 0x1f80 && x87 == 0x37f;
#else
  return false;
#endif
}
/// The number of tapes that a foreign thread has closed but the thread that entered them hasn't
/// ended, and of waiting calls of `run_with_gil`.
inline std::atomic<int> pending{0};
/// Ends the tapes of this thread that other threads have closed, and runs the waiting calls of
/// `run_with_gil`. Requires the GIL.
void finish_pending();
/// Calls f() if this thread has the GIL. Otherwise the next thread that calls the library from
/// Python calls it. For destructors, which must not acquire the GIL: at its end, Python kills
/// threads that do.
void run_with_gil(std::function<void()> f);

/// Sets the default floating-point mode while it exists, since other libraries may have changed it.
/// Every call from Python creates one, so the constructor also finishes pending work.
class DefaultFloatMode {
 public:
  DefaultFloatMode() {
    if (pending.load(std::memory_order_relaxed) > 0) finish_pending();
    if (!computes_by_default()) set_.emplace();
  }

 private:
  std::optional<FloatMode> set_;
};

/// Translates the current exception to a Python exception.
void raise_in_python();
/// Returns f(); if f throws, sets a Python exception and returns null. For functions that Python
/// calls without pybind11.
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
/// Moves a tensor into a new Python object. Faster than py::cast, which looks up the type.
PyObject* to_python(Tensor&& x);

/// Call guards for bound functions that compute. WithoutGil also releases the GIL, so that other
/// Python threads can run.
using Computing = py::call_guard<DefaultFloatMode>;
using WithoutGil = py::call_guard<DefaultFloatMode, py::gil_scoped_release>;
/// Runs f() without the GIL.
template <class F>
auto without_gil(F&& f) {
  const py::gil_scoped_release released;
  return f();
}
/// Runs f(), without the GIL if f processes many elements: releasing it takes as long as 1,000
/// additions.
template <class F>
auto without_gil_if_large(Index elements, F&& f) {
  return elements > 4096 ? without_gil(f) : f();
}

/// Returns the number of tape.watch calls on this thread.
inline std::size_t& watch_calls() {
  thread_local std::size_t calls = 0;
  return calls;
}

struct Run : LoadedRun {
  std::string path;
};

/// Returns the registry of the Python package. The module calls it first when it is imported.
const Registry& registry();

/// Converts a dict of gradients by parameter or by name. `parameters` has the optimizer's
/// parameters by name. Throws TypeError, ValueError or ShapeError for a wrong key or value.
Gradients gradients_in(const py::dict& given, const py::dict& parameters);

/// Sets the type slots of tensors and parameters: operators, comparisons, indexing.
void bind_operators(PyHeapTypeObject* type);
/// Gives objects a __dict__ that the garbage collector traverses, also in derived Python classes.
/// With py::dynamic_attr, Python 3.11 traverses the dict twice in derived classes and so never
/// collects a cycle.
void bind_attributes(PyHeapTypeObject* type);
/// Binds every op as a function of the module and as a method of these types.
void bind_ops(py::module_& module, const std::vector<py::object>& types);
void bind_tensors(py::module_& module);
void bind_creation(py::module_& module);
void bind_tape(py::module_& module);
void bind_derivatives(py::module_& module);
void bind_parameters(py::module_& module);
void bind_modules(py::module_& module);
void bind_gradients(py::module_& module);
void bind_optimizers(py::module_& module);
void bind_weights(py::module_& module);
void bind_runs(py::module_& module);
void bind_training(py::module_& module);
void bind_saved_runs(py::module_& module);
void bind_hooks(py::module_& module);
void bind_experiments(py::module_& module);
void bind_samples(py::module_& module);
constexpr const char* no_init_message = "the object's __init__() hasn't been called";
/// Turns misuse of the module's types into exceptions: objects without __init__, and copies of
/// objects that can't be copied. Must be called after all classes are bound.
void protect_types(py::module_& module);
/// Replaces pybind11's errors about wrong arguments by one-line errors. Must be called after all
/// functions are bound.
void explain_arguments(py::module_& module);

}  // namespace tapehead

/// Converts a Python function of a list of tensors.
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
