// The module tapehead._core: what tapehead/__init__.py is made of.
#include "bindings.hpp"

namespace tapehead {
namespace {

/// The one line of an error, as the command would print it.
std::string line_of(const Error& error) {
  const std::string text = error.what(), head = "explain: ";  // of the ops' options
  return text.rfind(head, 0) == 0 ? text.substr(head.size()) : text;
}

}  // namespace
}  // namespace tapehead

PYBIND11_MODULE(_core, module) {
  using namespace tapehead;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const FileError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, line_of(error).c_str());
    }
  });
  bind_tensors(module);
  bind_ops(module);
  bind_tape(module);
  bind_modules(module);
  bind_runs(module);
}
