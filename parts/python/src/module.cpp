// The module tapehead._core, the compiled part of the package.
#include "configured.hpp"

#include "../../../train/files/strings.hpp"

#include <regex>

namespace tapehead {
namespace {

/// Replaces C++ spellings of types in an error message by Python's.
std::string python_message(std::string line) {
  static const std::regex type("DType::(\\w+)");
  return std::regex_replace(line, type, "\"$1\"");
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const py::cast_error& error) {
    const bool bare = std::string(error.what()).find("non-held") != std::string::npos;
    PyErr_SetString(
        PyExc_TypeError,
        bare ? no_init_message : "a list element or a function's result has the wrong type");
  } catch (const std::bad_function_call&) {
    PyErr_SetString(PyExc_TypeError, "expected a function, got None");
  } catch (const FileError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, spelled_in_python(python_message(error.what())).c_str());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of memory; check whether a shape is too large");
  }
}

}  // namespace

const Registry& registry() {
  static const Registry all = [] {
    Registry parts = make_registry();
    std::vector<std::string> words;
    const py::object bytes_of = py::module_::import("os").attr("fsencode");
    for (const py::handle& word : py::module_::import("sys").attr("orig_argv"))
      words.push_back(bytes_of(word).cast<std::string>());
    parts.command = shell_line(words);
    return parts;
  }();
  return all;
}

void raise_in_python() {
  try {
    translate(std::current_exception());
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace tapehead

PYBIND11_MODULE(_core, module) {
  using namespace tapehead;
  py::register_exception_translator(&translate);
  bind_tensors(module);
  bind_parameters(module);
  bind_ops(module, {module.attr("Tensor"), module.attr("Parameter")});
  bind_creation(module);
  bind_tape(module);
  bind_derivatives(module);
  bind_modules(module);
  bind_gradients(module);
  bind_optimizers(module);
  bind_weights(module);
  bind_runs(module);
  bind_training(module);
  bind_saved_runs(module);
  bind_hooks(module);
  bind_experiments(module);
  bind_samples(module);
  protect_types(module);
  explain_arguments(module);
}
