// The module tapehead._core: what tapehead/__init__.py is made of.
#include "bindings.hpp"

#include <string_view>

PYBIND11_MODULE(_core, module) {
  using namespace tapehead;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const FileError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const Error& error) {
      std::string_view line = error.what();
      const std::string_view head = "explain: ";  // which the command is, in the ops' options
      if (line.substr(0, head.size()) == head) line.remove_prefix(head.size());
      PyErr_SetString(PyExc_ValueError, line.data());
    }
  });
  bind_tensors(module);
  bind_ops(module);
  bind_tape(module);
  bind_modules(module);
  bind_runs(module);
}
