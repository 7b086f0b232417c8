// The module tapehead._core: what the package is made of where it is compiled.
#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace tapehead;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const FileError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const Error& error) {
      const std::string line = error.what(), command = "explain: ";  // of the ops' options
      const std::size_t start = line.rfind(command, 0) == 0 ? command.size() : 0;
      PyErr_SetString(PyExc_ValueError, line.c_str() + start);
    }
  });
  bind_tensors(module);
  bind_tape(module);
  bind_derivatives(module);
  bind_modules(module);
  bind_runs(module);
  bind_samples(module);
}
