// One-line errors about the arguments of bound functions. pybind11's own message lists the whole
// signature and all arguments on several lines.
#include "../../../core/plural.hpp"
#include "bindings.hpp"

#include <cstring>
#include <unordered_map>

namespace tapehead {
namespace {

/// A parameter in a signature by pybind11: `norm: float`, `seed: int = 0`, `*args`.
struct ExpectedArgument {
  std::string name, type, otherwise;  // otherwise: the default; empty if there is none

  bool optional() const { return !otherwise.empty() || name[0] == '*'; }
};

/// Splits `(a: int, b: List[int] = [])` at its commas, except within brackets and quotes.
std::vector<ExpectedArgument> parameters_in(const std::string& signature) {
  std::vector<std::string> texts(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : signature) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && (c == '(' || c == '[' || c == '{') && depth++ == 0) continue;
    if (!quoted && (c == ')' || c == ']' || c == '}') && --depth == 0) break;
    if (!quoted && c == ',' && depth == 1)
      texts.emplace_back();
    else if (depth > 0 && !(c == ' ' && texts.back().empty()))
      texts.back() += c;
  }
  std::vector<ExpectedArgument> all;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    const std::size_t is = text.find(" = ");
    const std::string head = text.substr(0, is);
    const std::size_t colon = head.find(": ");
    all.push_back({head.substr(0, colon), colon < head.size() ? head.substr(colon + 2) : "object",
                   is < text.size() ? text.substr(is + 3) : ""});
  }
  return all;
}

std::string shown(py::handle value) {
  try {
    std::string text = py::repr(value).cast<std::string>();
    if (text.size() < 40 && text.find('\n') == std::string::npos) return text;
  } catch (py::error_already_set&) {
  }
  return fmt::format("a {}", Py_TYPE(value.ptr())->tp_name);
}

/// Returns why a value can't be converted to the parameter's type; empty if no reason is known.
std::string wrong_value(const ExpectedArgument& wanted, py::handle value) {
  std::string type = wanted.type;
  const std::string maybe = "Optional[";
  if (type.rfind(maybe, 0) == 0) {
    if (value.is_none()) return "";
    type = type.substr(maybe.size(), type.size() - maybe.size() - 1);
  }
  PyObject* const x = value.ptr();
  const std::size_t dot = type.rfind("._core.");
  std::string expected;
  if (type == "int" && PyLong_Check(x)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(x, &overflow);
    if (overflow != 0) expected = "an integer of at most 64 bits";
    if (overflow == 0 && number < 0 && wanted.name == "seed") expected = "0 or more";
  } else if (type == "int" && !PyIndex_Check(x)) {
    expected = "an integer";
  } else if (type == "float" && !PyFloat_Check(x) && !PyLong_Check(x)) {
    expected = "a number";
  } else if (type == "bool" && !PyBool_Check(x) && !PyNumber_Check(x)) {
    expected = "True or False";
  } else if (type == "str" && !PyUnicode_Check(x)) {
    expected = "text";
  } else if (type == "Callable" && !PyCallable_Check(x)) {
    expected = "a function";
  } else if (type.rfind("List[", 0) == 0 && !PySequence_Check(x)) {
    expected = "a list";
  } else if (dot < type.size()) {
    const std::string name = type.substr(dot + 7);
    const py::object module = py::module_::import("tapehead._core");
    if (py::hasattr(module, name.c_str()) && !py::isinstance(value, module.attr(name.c_str())))
      expected = "a " + name;
  }
  return expected.empty()
             ? ""
             : fmt::format("{} must be {}, got {}", wanted.name, expected, shown(value));
}

/// Returns the error message for a rejected call. `parameters` and `args` don't include `self`.
std::string wrong_argument(const std::vector<ExpectedArgument>& parameters,
                           const std::vector<py::handle>& args, const py::dict& named) {
  const auto takes = [&](const char* rest) { return has_named(parameters, rest); };
  std::vector<ExpectedArgument> known;
  for (const ExpectedArgument& each : parameters)
    if (each.name[0] != '*') known.push_back(each);
  for (const auto& [key, value] : named) {
    const auto name = key.cast<std::string>();
    const auto found = find_named(known, name);
    if (found == known.end() && !takes("**kwargs"))
      return fmt::format("got an unexpected keyword argument '{}'", name);
    if (found - known.begin() < static_cast<std::ptrdiff_t>(args.size()) && !takes("*args"))
      return fmt::format("multiple values for argument '{}'", name);
  }
  if (args.size() > known.size() && !takes("*args"))
    return fmt::format("takes at most {}, got {}", plural(known.size(), "positional argument"),
                       args.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    const char* const name = known[i].name.c_str();
    const bool given = i < args.size() && !takes("*args");
    if (!given && !named.contains(name)) {
      if (!known[i].optional()) return fmt::format("missing a required argument: '{}'", name);
      continue;
    }
    const py::object value =
        given ? py::reinterpret_borrow<py::object>(args[i]) : py::object(named[name]);
    const std::string wrong = wrong_value(known[i], value);
    if (!wrong.empty()) return wrong;
  }
  std::string types;
  for (const py::handle each : args)
    types += fmt::format("{}{}", types.empty() ? "" : ", ", shown(each));
  for (const auto& [key, value] : named)
    types +=
        fmt::format("{}{}={}", types.empty() ? "" : ", ", key.cast<std::string>(), shown(value));
  return fmt::format("can't be called with ({})", types);
}

std::string signature_of(const std::vector<ExpectedArgument>& parameters) {
  std::string text;
  for (const ExpectedArgument& each : parameters)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", each.name,
                        each.otherwise.empty() ? "" : "=", each.otherwise);
  return text;
}

/// The property names of getters and setters, by pybind11's function record, which lacks a name.
std::unordered_map<PyObject*, std::string>& property_names() {
  static auto& names = *new std::unordered_map<PyObject*, std::string>;
  return names;
}

/// Converts pybind11's message about a rejected call to one line.
std::string one_line(PyObject* function, const std::string& text, PyObject* args, PyObject* named) {
  const std::size_t first = text.find("    1. "), end = text.find('\n', first);
  const std::string signature = text.substr(first + 7, end - first - 7);
  std::string name = text.substr(0, text.find("():"));
  if (name == "__init__") {
    name = signature.substr(0, signature.find('('));
    name = name.substr(name.rfind('.') + 1);
  }
  std::vector<ExpectedArgument> parameters = parameters_in(signature);
  std::vector<py::handle> values;
  for (const py::handle each : py::reinterpret_borrow<py::tuple>(args)) values.push_back(each);
  const bool method = !parameters.empty() && parameters[0].name == "self";
  if (method) parameters.erase(parameters.begin());
  if ((method || text.rfind("__init__", 0) == 0) && !values.empty()) values.erase(values.begin());
  const auto keywords = named ? py::reinterpret_borrow<py::dict>(named) : py::dict();
  const auto property = property_names().find(function);
  if (property != property_names().end()) {
    if (!parameters.empty()) parameters[0].name = "it";
    return fmt::format("{}: {}", property->second, wrong_argument(parameters, values, keywords));
  }
  return fmt::format("{}({}): {}", name, signature_of(parameters),
                     wrong_argument(parameters, values, keywords));
}

PyCFunctionWithKeywords dispatch_call = nullptr;  // pybind11's, shared by all bound functions

PyObject* called(PyObject* function, PyObject* args, PyObject* named) {
  PyObject* const result = dispatch_call(function, args, named);
  if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
  py::error_already_set error;
  try {
    const std::string text = py::str(error.value()).cast<std::string>();
    if (text.find(" arguments. The following argument types are supported:\n") == text.npos) {
      error.restore();
      return nullptr;
    }
    PyErr_SetString(PyExc_TypeError, one_line(function, text, args, named).c_str());
  } catch (const std::exception&) {
    PyErr_SetString(PyExc_TypeError, "wrong arguments");
  }
  return nullptr;
}

/// Makes a function bound by pybind11 report errors in one line; ignores other values.
void explain_function(py::handle value, const std::string& property = "") {
  PyObject* f = value.ptr();
  if (f && PyInstanceMethod_Check(f)) f = PyInstanceMethod_GET_FUNCTION(f);
  if (!f || !PyCFunction_Check(f) || PyCFunction_GET_FLAGS(f) != (METH_VARARGS | METH_KEYWORDS))
    return;
  PyObject* const self = PyCFunction_GET_SELF(f);
  // pybind11 stores the function record in a capsule; since version 3, in a pybind11 object.
  if (!self || !(PyCapsule_CheckExact(self) || std::strstr(Py_TYPE(self)->tp_name, "pybind11")))
    return;
  auto* const definition = reinterpret_cast<PyCFunctionObject*>(f)->m_ml;
  const auto as_plain = [](PyCFunctionWithKeywords each) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(each));
  };
  if (!property.empty()) property_names()[self] = property;
  if (definition->ml_meth == as_plain(&called)) return;
  dispatch_call =
      reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void*>(definition->ml_meth));
  definition->ml_meth = as_plain(&called);
}

}  // namespace

void explain_arguments(py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    explain_function(value);
    if (!PyType_Check(value.ptr())) continue;
    for (const auto& [key, member] : py::dict(value.attr("__dict__"))) {
      explain_function(member);
      if (!py::isinstance(member, py::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))))
        continue;
      const std::string property =
          fmt::format("{}.{}", name.cast<std::string>(), key.cast<std::string>());
      explain_function(member.attr("fget"), property);
      explain_function(member.attr("fset"), property);
    }
  }
}

}  // namespace tapehead
