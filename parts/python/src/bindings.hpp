#pragma once
// What the files of the module share.
#include <tapehead/cli.hpp>

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace tapehead {

namespace py = pybind11;
using namespace py::literals;

/// A tensor as it is; a copy of anything that NumPy makes an array of: f32 and f64 as they are, f16
/// as f32, integers and truth values as i32. A plain number becomes a scalar of type `number`.
/// Throws ValueError for other elements, and for integers that i32 has no room for.
Tensor to_tensor(py::handle value, DType number = DType::f64);

/// A function that computes has one of these in its definition: other libraries of the process may
/// have set another mode. With the second, other threads of Python go on while it runs.
using Computing = py::call_guard<FloatMode>;
using WithoutGil = py::call_guard<FloatMode, py::gil_scoped_release>;
/// f() while they do.
template <class F>
auto without_gil(F&& f) {
  const py::gil_scoped_release released;
  return f();
}

struct Run : LoadedRun {
  std::string path;
};

inline const Registry& registry() {
  static const Registry all = everything();
  return all;
}

void bind_tensors(py::module_& module);
void bind_tape(py::module_& module);
void bind_derivatives(py::module_& module);
void bind_modules(py::module_& module);
void bind_runs(py::module_& module);
void bind_samples(py::module_& module);

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
