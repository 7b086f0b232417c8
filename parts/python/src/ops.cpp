// Every op as a Python function and as a method of tensors.
#include "bindings.hpp"

#include "../../../core/op.hpp"

#include <fmt/ranges.h>

#include <deque>

namespace tapehead {
namespace {

using Kind = OpArgument::Kind;

/// The Python names of arguments that have another name in C++.
const std::map<std::string, std::string> words = {{"axes", "axis"}, {"type", "dtype"}};
/// For error messages: argument names of other libraries and the corresponding ones here.
const std::map<std::string, std::string> elsewhere = {
    {"dim", "axis"},      {"dims", "axis"},  {"axes", "axis"},           {"keepdim", "keep"},
    {"keepdims", "keep"}, {"type", "dtype"}, {"num_classes", "classes"}, {"eps", "epsilon"}};

std::string in_python(const std::string& argument) {
  const auto found = words.find(argument);
  return found == words.end() ? argument : found->second;
}

/// Returns the default as a Python literal; None for defaults that aren't literals.
std::string default_of(const OpArgument& argument) {
  const std::string& text = argument.default_text;
  const bool is_given =
      argument.default_value && !std::holds_alternative<std::string>(*argument.default_value);
  if (argument.kind == Kind::flag) return text == "true" ? "True" : "False";
  if (argument.kind == Kind::word) return fmt::format("'{}'", text);
  return is_given && !argument.is_tensor() && text.find("inf") == std::string::npos ? text : "None";
}

/// An op and its Python signature.
struct PythonOp {
  const Op& op;
  std::vector<py::object> names;  // names of the arguments, interned
  std::string signature, text;    // signature: `(x, axis=-1)`; text: the docstring
  PyMethodDef definition = {};
  Operand use = Operand::computed;

  std::size_t tensors() const { return op.is_variadic() ? 0 : op.tensors(); }
  /// Returns the number of options, which are the arguments after the tensors.
  std::size_t options() const { return op.arguments.size() - op.tensors(); }
  const OpArgument& option(std::size_t i) const { return op.arguments[op.tensors() + i]; }
  /// Returns whether an argument is a mask, ids or targets, which aren't converted to floats.
  bool stays_whole(std::size_t i) const {
    const std::string& name = op.arguments[i].name;
    return op.arguments[i].is_whole() || name == "mask" || name == "key_mask";
  }
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw py::type_error(fmt::format("{}{}: {}", op.name, signature,
                                     fmt::format(text, std::forward<Args>(args)...)));
  }
};

PythonOp python_op(const Op& op) {
  PythonOp result{op, {}, "", ""};
  std::vector<std::string> parameters;
  for (const OpArgument& argument : op.arguments) {
    const std::string name = in_python(argument.name);
    parameters.push_back(argument.kind == Kind::tensors ? "*parts"
                         : argument.is_required()       ? name
                                                        : name + '=' + default_of(argument));
    result.names.push_back(
        py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name.c_str())));
  }
  if (op.family == "comparison") result.use = Operand::compared;
  result.signature = fmt::format("({})", fmt::join(parameters, ", "));
  result.text = fmt::format("{}{}\n--\n\n{}", op.name, result.signature, op.formula);
  return result;
}

/// The Python values given in a call for each tensor and option; null if not given.
struct Given {
  std::vector<py::handle> tensors, options;
  std::vector<py::handle> list;  // positional sizes of `reshape(x, 2, 3)`
};

void place_positional(const PythonOp& op, PyObject* const* given, std::size_t count, Given& all) {
  if (op.op.is_variadic()) {
    const bool one_list = count == 1 && (PyList_Check(given[0]) || PyTuple_Check(given[0]));
    if (one_list)
      for (const py::handle part : py::reinterpret_borrow<py::sequence>(given[0]))
        all.tensors.push_back(part);
    else
      all.tensors.assign(given, given + count);
    return;
  }
  const std::size_t tensors = op.tensors();
  for (std::size_t i = 0; i < count; ++i) {
    if (i < tensors) {
      all.tensors[i] = given[i];
      continue;
    }
    const std::size_t option = i - tensors;
    if (option == 0 && all.options.size() == 1 && op.option(0).kind == Kind::list) {
      all.list.assign(given + i, given + count);
      return;
    }
    if (option >= all.options.size()) op.refuse("too many positional arguments");
    all.options[option] = given[i];
  }
}

void place_named(const PythonOp& op, PyObject* name, py::handle value, Given& all) {
  const auto same = [&](const py::object& known) {
    return known.ptr() == name || PyUnicode_Compare(known.ptr(), name) == 0;
  };
  const auto found = find_if(op.names, same);
  if (found == op.names.end()) {
    const auto word = py::handle(name).cast<std::string>();
    const auto here = elsewhere.find(word);
    const std::string usual = here == elsewhere.end() ? "" : here->second;
    for (const py::object& known : op.names)
      if (!usual.empty() && known.cast<std::string>() == usual)
        op.refuse("got an unexpected keyword argument '{}'; use {}", word, usual);
    op.refuse("got an unexpected keyword argument '{}'", word);
  }
  const std::size_t i = found - op.names.begin();
  if (i == 0 && op.op.is_variadic()) op.refuse("got an unexpected keyword argument 'parts'");
  const std::size_t tensors = op.op.tensors();
  py::handle& place = i < tensors ? all.tensors[i] : all.options[i - tensors];
  if (place || (i == tensors && !all.list.empty()))
    op.refuse("multiple values for argument '{}'", py::handle(name).cast<std::string>());
  place = value;
}

Attribute option_value(const PythonOp& op, std::size_t i, py::handle given) {
  const OpArgument& option = op.option(i);
  if (option.name == "type") return op.op.option(option, std::string(to_string(dtype_in(given))));
  const bool is_word = option.kind == Kind::word;
  if (is_word && PyUnicode_Check(given.ptr()))
    return op.op.option(option, given.cast<std::string>());
  try {
    if (is_word || PyUnicode_Check(given.ptr())) throw py::cast_error();
    if (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()))
      return op.op.option(option, std::vector<double>{given.cast<double>()});
    if (PyTuple_Check(given.ptr()) || PyList_Check(given.ptr()))
      return op.op.option(option, given.cast<std::vector<double>>());
    const py::float_ number(py::reinterpret_borrow<py::object>(given));
    return op.op.option(option, std::vector<double>{number.cast<double>()});
  } catch (const py::cast_error&) {
  } catch (const py::error_already_set&) {
  }
  op.refuse("{} must be a {}, got {}", in_python(option.name),
            is_word ? "string" : "number or a list of numbers", std::string(py::repr(given)));
}

/// Returns the list (2, 3) given as `reshape(x, 2, 3)` or `reshape(x, (2, 3))`.
Attribute list_value(const PythonOp& op, const std::vector<py::handle>& given) {
  if (given.size() == 1) return option_value(op, 0, given[0]);
  Attribute::List all;
  for (const py::handle size : given) {
    const Attribute one = option_value(op, 0, size);
    const auto& list = std::get<Attribute::List>(one.value);
    if (list.size() != 1 || PyTuple_Check(size.ptr()) || PyList_Check(size.ptr()))
      op.refuse("{} must be numbers or one list of numbers, got {} among others",
                in_python(op.option(0).name), std::string(py::repr(size)));
    all.push_back(list[0]);
  }
  return {op.option(0).name.c_str(), std::move(all)};
}

/// Converts a mask, ids or targets. Floats stay floats: attention adds a float mask to its scores,
/// other ops reject floats.
Tensor to_integers(py::handle value) {
  const Tensor x = to_tensor(value, PyLong_Check(value.ptr()) ? DType::i32 : DType::f32);
  const bool is_empty_list = x.size() == 0 && !tensor_in(value);  // NumPy converts [] to floats
  return is_empty_list ? cast(x, DType::i32) : x;
}

OpArguments arguments(const PythonOp& op, const Given& given) {
  OpArguments called;
  const bool variadic = op.op.is_variadic();
  // The first float tensor, or else the first tensor: it determines the type.
  const Tensor* beside = nullptr;
  for (const py::handle each : given.tensors)
    if (const Tensor* x = each ? tensor_in(each) : nullptr)
      if (!beside || (x->is_float() && !beside->is_float())) beside = x;
  for (std::size_t i = 0; i < given.tensors.size(); ++i) {
    const py::handle each = given.tensors[i];
    const bool needed = variadic || op.op.arguments[i].is_required();
    if (!each) {
      if (needed) op.refuse("missing a required argument: '{}'", op.names[i].cast<std::string>());
      called.tensors.emplace_back();
    } else if (each.is_none() && !needed) {
      called.tensors.emplace_back();
    } else if (!variadic && op.stays_whole(i)) {
      called.tensors.push_back(to_integers(each));
    } else {
      called.tensors.push_back(beside ? to_tensor_beside(each, beside->dtype(), op.use)
                                      : to_tensor(each, DType::f32));
    }
  }
  std::vector<Tensor*> numbers;  // all tensors except masks, ids and targets
  for (std::size_t i = 0; i < called.tensors.size(); ++i)
    if (called.tensors[i] && (variadic || !op.stays_whole(i)))
      numbers.push_back(&called.tensors[i]);
  const auto floats = find_if(numbers, [](const Tensor* x) { return x->is_float(); });
  for (Tensor* x : numbers)
    if (floats != numbers.end()) unify(*x, **floats, op.use);
  for (std::size_t i = 0; i < given.options.size(); ++i) {
    const OpArgument& option = op.option(i);
    if (given.options[i] && !given.options[i].is_none())
      called.options.push_back(option_value(op, i, given.options[i]));
    else if (i == 0 && !given.list.empty() && !(given.list.size() == 1 && given.list[0].is_none()))
      called.options.push_back(list_value(op, given.list));
    else if (option.is_required())
      op.refuse("missing a required argument: '{}'", in_python(option.name));
  }
  return called;
}

/// Returns whether the op averages, and so converts integers and booleans to floats first.
bool averages(const std::string& op) { return op == "mean" || op == "var"; }

const PythonOp* op_in(PyObject* self) {
  auto* const object = reinterpret_cast<py::detail::instance*>(self);
  return object->get_value_and_holder().value_ptr<PythonOp>();
}

PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    const PythonOp& op = *op_in(self);
    Given given{std::vector<py::handle>(op.tensors()), std::vector<py::handle>(op.options()), {}};
    place_positional(op, args, static_cast<std::size_t>(count), given);
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
      place_named(op, PyTuple_GET_ITEM(names, i), args[count + i], given);
    OpArguments called = arguments(op, given);
    Index elements = 0;
    for (Tensor& x : called.tensors) {
      if (x && averages(op.op.name) && !x.is_float()) x = cast(x, DType::f32);
      if (x) elements += x.size();
    }
    return to_python(without_gil_if_large(elements, [&] { return op.op(called); }));
  });
}

const char* kind_name(Kind kind) {
  constexpr const char* names[] = {"tensor", "tensors", "ids",  "mask", "flag",
                                   "whole",  "number",  "list", "word"};
  return names[static_cast<int>(kind)];
}

}  // namespace

/// Binds the functions and methods, and a list `ops` with the name, formula and arguments of each
/// op. An argument is (name, kind, whether it is required, allowed strings).
void bind_ops(py::module_& module, const std::vector<py::object>& types) {
  // The type of a bound function's __self__. It is pickled as the package tapehead, so that
  // unpickling finds the function there by name.
  py::class_<PythonOp>(module, "_Op").def("__reduce__", [](const PythonOp&) {
    return py::make_tuple(py::module_::import("importlib").attr("import_module"),
                          py::make_tuple("tapehead"));
  });
  static std::deque<PythonOp> all;  // static, since functions point into it
  py::list rows;
  const py::object package = py::str("tapehead");
  for (const Op& described : ops()) {
    PythonOp& op = all.emplace_back(python_op(described));
    using Plain = PyCFunction;
    op.definition = {described.name.c_str(),
                     reinterpret_cast<Plain>(reinterpret_cast<void*>(&call)),
                     METH_FASTCALL | METH_KEYWORDS, op.text.c_str()};
    const py::object owner = py::cast(&op, py::return_value_policy::reference);
    const auto function = py::reinterpret_steal<py::object>(
        PyCFunction_NewEx(&op.definition, owner.ptr(), package.ptr()));
    module.attr(described.name.c_str()) = function;
    const OpArgument& first = described.arguments[0];
    if (first.kind == Kind::tensor)  // no x.where(mask, y): in PyTorch, x is its `true` value
      for (const py::object& type : types)
        type.attr(described.name.c_str()) =
            py::reinterpret_steal<py::object>(PyInstanceMethod_New(function.ptr()));
    py::list listed;
    for (const OpArgument& argument : described.arguments)
      listed.append(py::make_tuple(in_python(argument.name), kind_name(argument.kind),
                                   argument.is_required(), argument.words));
    rows.append(py::make_tuple(described.name, described.formula, listed));
  }
  module.attr("ops") = rows;
}

}  // namespace tapehead
