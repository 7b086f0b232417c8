// Every op of the table as a function that Python calls, and as a method of tensors.
#include "bindings.hpp"

#include "../../explain/calls.hpp"

#include <fmt/ranges.h>

#include <deque>
#include <regex>
#include <set>

namespace tapehead {
namespace {

/// Words of the table that Python has another one for: one word for axes, and one for types.
const std::map<std::string, std::string> words = {{"axes", "axis"}, {"type", "dtype"}};
/// Words of other libraries, and what is said here.
const std::map<std::string, std::string> elsewhere = {
    {"dim", "axis"},      {"dims", "axis"},  {"axes", "axis"},           {"keepdim", "keep"},
    {"keepdims", "keep"}, {"type", "dtype"}, {"num_classes", "classes"}, {"eps", "epsilon"}};

/// An op of the table, and how it is called.
struct Op {
  Callable called;
  std::vector<py::object> names;  // of the tensors, then of the options
  std::set<std::string> words;    // options that are one of a few words: reduction, form
  std::string signature, text;    // `(x, axis=None)`; the same with the name, and its documentation
  PyMethodDef definition;
  Operand use;

  std::size_t tensors() const { return called.variadic() ? 0 : called.tensors.size(); }
  const std::string& option(std::size_t i) const { return called.options[i - tensors()]; }
  /// A mask, ids or targets, which stay integers beside a tensor of floats.
  bool stays_whole(std::size_t i) const {
    const std::string& name = called.tensors[i];
    return called.takes_whole(i) || name == "mask?" || name == "key_mask?";
  }
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    throw py::type_error(fmt::format("{}{}: {}", called.name, signature,
                                     fmt::format(text, std::forward<Args>(args)...)));
  }
};

std::string plain(std::string tensor) {
  tensor.erase(
      std::find_if(tensor.begin(), tensor.end(), [](char c) { return c == '.' || c == '?'; }),
      tensor.end());
  return tensor;
}
std::string in_python(const std::string& option) {
  const auto found = words.find(option);
  return found == words.end() ? option : found->second;
}

Op op_of(const Callable& called) {
  const bool compares =
      called.name == "equal" || called.name == "less" || called.name == "less_equal";
  Op op{called, {}, {}, "", "", {}, compares ? Operand::compared : Operand::computed};
  std::vector<std::string> parameters;
  const auto add = [&](const std::string& name, const char* more) {
    op.names.push_back(py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name.c_str())));
    parameters.push_back(name + more);
  };
  if (called.variadic())
    parameters.emplace_back("*parts");
  else
    for (const std::string& tensor : called.tensors)
      add(plain(tensor), tensor.back() == '?' ? "=None" : "");
  for (const std::string& option : called.options)
    add(in_python(option), called.requires_option(option) ? "" : "=None");
  op.signature = fmt::format("({})", fmt::join(parameters, ", "));
  static const std::regex worded("(\\w+)=(?!all|heads|inf|true|false)[a-z]\\w*");
  const std::string& call = find_op(called.name)->call;
  for (std::sregex_iterator at(call.begin(), call.end(), worded), end; at != end; ++at)
    op.words.insert((*at)[1]);
  op.text = fmt::format("{}{}\n--\n\n{}", called.name, op.signature, find_op(called.name)->formula);
  return op;
}

/// What Python has given for each tensor and each option; null where nothing was.
struct Given {
  std::vector<py::handle> tensors, options;
  std::vector<py::handle> list;  // all positional sizes of `reshape(x, 2, 3)`
};

bool takes_list(const std::string& option) {
  return option == "shape" || option == "order" || option == "axes";
}

void place_positional(const Op& op, PyObject* const* given, std::size_t count, Given& all) {
  if (op.called.variadic()) {
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
    if (option == 0 && !all.options.empty() && takes_list(op.called.options[0]) &&
        op.called.options.size() == 1) {
      all.list.assign(given + i, given + count);
      return;
    }
    if (option >= all.options.size()) op.refuse("too many positional arguments");
    all.options[option] = given[i];
  }
}

void place_named(const Op& op, PyObject* name, py::handle value, Given& all) {
  const auto same = [&](const py::object& known) {
    return known.ptr() == name || PyUnicode_Compare(known.ptr(), name) == 0;
  };
  const auto found = std::find_if(op.names.begin(), op.names.end(), same);
  if (found == op.names.end()) {
    const auto word = py::handle(name).cast<std::string>();
    const auto here = elsewhere.find(word);
    const std::string usual = here == elsewhere.end() ? "" : here->second;
    for (const py::object& known : op.names)
      if (!usual.empty() && known.cast<std::string>() == usual)
        op.refuse("takes {}, not {}", usual, word);
    op.refuse("got an unexpected keyword argument '{}'", word);
  }
  const std::size_t i = found - op.names.begin();
  py::handle& place = i < op.tensors() ? all.tensors[i] : all.options[i - op.tensors()];
  if (place || (i == op.tensors() && !all.list.empty()))
    op.refuse("multiple values for argument '{}'", py::handle(name).cast<std::string>());
  place = value;
}

OptionValue option_value(const Op& op, std::size_t i, py::handle given) {
  const std::string& option = op.called.options[i];
  if (option == "type") return {{}, to_string(dtype_in(given))};
  const bool is_word = op.words.count(option) > 0;
  if (is_word && PyUnicode_Check(given.ptr())) return {{}, given.cast<std::string>()};
  try {
    if (is_word || PyUnicode_Check(given.ptr())) throw py::cast_error();
    if (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()))
      return {{given.cast<double>()}, ""};
    if (PyTuple_Check(given.ptr()) || PyList_Check(given.ptr()))
      return {given.cast<std::vector<double>>(), ""};
    return {{py::float_(py::reinterpret_borrow<py::object>(given)).cast<double>()}, ""};
  } catch (const py::cast_error&) {
  } catch (const py::error_already_set&) {
  }
  op.refuse("{} is a {}, not {}", in_python(option),
            is_word ? "word" : "number or a list of numbers", std::string(py::repr(given)));
}

/// A mask, ids or targets. Numbers that aren't integers stay floats, which the op refuses or, if
/// it is a mask of attention, adds.
Tensor to_integers(py::handle value) {
  const Tensor x = to_tensor(value, PyLong_Check(value.ptr()) ? DType::i32 : DType::f32);
  const bool is_empty_list = x.size() == 0 && !tensor_in(value);  // floats to NumPy
  return is_empty_list ? cast(x, DType::i32) : x;
}

CallArguments arguments(const Op& op, const Given& given) {
  CallArguments called{{}, {}, op.called.name};
  const Tensor* beside = nullptr;  // the first tensor of floats, or else of integers
  for (const py::handle each : given.tensors)
    if (const Tensor* x = each ? tensor_in(each) : nullptr)
      if (!beside || (x->is_float() && !beside->is_float())) beside = x;
  for (std::size_t i = 0; i < given.tensors.size(); ++i) {
    const py::handle each = given.tensors[i];
    const bool needed = op.called.variadic() || op.called.tensors[i].back() != '?';
    if (!each) {
      if (needed) op.refuse("missing a required argument: '{}'", op.names[i].cast<std::string>());
      called.tensors.emplace_back();
    } else if (each.is_none() && !needed) {
      called.tensors.emplace_back();
    } else if (!op.called.variadic() && op.stays_whole(i)) {
      called.tensors.push_back(to_integers(each));
    } else {
      called.tensors.push_back(beside ? to_tensor_beside(each, beside->dtype(), op.use)
                                      : to_tensor(each, DType::f32));
    }
  }
  std::vector<Tensor*> numbers;  // all but masks and ids
  for (std::size_t i = 0; i < called.tensors.size(); ++i)
    if (called.tensors[i] && (op.called.variadic() || !op.stays_whole(i)))
      numbers.push_back(&called.tensors[i]);
  const auto floats =
      std::find_if(numbers.begin(), numbers.end(), [](const Tensor* x) { return x->is_float(); });
  for (Tensor* x : numbers)
    if (floats != numbers.end()) unify(*x, **floats, op.use);
  for (std::size_t i = 0; i < given.options.size(); ++i)
    if (given.options[i] && !given.options[i].is_none())
      called.options[op.called.options[i]] = option_value(op, i, given.options[i]);
  if (given.list.size() == 1 && !given.list[0].is_none())
    called.options[op.called.options[0]] = option_value(op, 0, given.list[0]);
  if (given.list.size() > 1) {
    OptionValue& sizes = called.options[op.called.options[0]];
    for (const py::handle size : given.list) {
      const OptionValue one = option_value(op, 0, size);
      if (one.numbers.size() != 1)
        op.refuse("{} is numbers or one list of them, not {} among others",
                  in_python(op.called.options[0]), std::string(py::repr(size)));
      sizes.numbers.push_back(one.numbers[0]);
    }
  }
  for (const std::string& option : op.called.options)
    if (op.called.requires_option(option) && called.options.count(option) == 0)
      op.refuse("missing a required argument: '{}'", in_python(option));
  return called;
}

/// Averages of integers, such as of truth values, are floats.
bool averages(const std::string& op) { return op == "mean" || op == "var"; }

const Op* op_in(PyObject* self) {
  auto* const object = reinterpret_cast<py::detail::instance*>(self);
  return object->get_value_and_holder().value_ptr<Op>();
}

PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    const Op& op = *op_in(self);
    Given given{std::vector<py::handle>(op.tensors()),
                std::vector<py::handle>(op.called.options.size()),
                {}};
    place_positional(op, args, static_cast<std::size_t>(count), given);
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
      place_named(op, PyTuple_GET_ITEM(names, i), args[count + i], given);
    CallArguments called = arguments(op, given);
    Index elements = 0;
    for (Tensor& x : called.tensors) {
      if (x && averages(op.called.name) && !x.is_float()) x = cast(x, DType::f32);
      if (x) elements += x.size();
    }
    return to_python(without_gil_if_large(elements, [&] { return op.called.run(called); }));
  });
}

}  // namespace

void bind_ops(py::module_& module, const std::vector<py::object>& types) {
  // What a function belongs to; a pickle of one says that it is of the package.
  py::class_<Op>(module, "_Op").def("__reduce__", [](const Op&) {
    return py::make_tuple(py::module_::import("importlib").attr("import_module"),
                          py::make_tuple("tapehead"));
  });
  static std::deque<Op> all;  // which functions point into, for as long as Python runs
  py::list rows;
  const py::object package = py::str("tapehead");
  for (const Callable& called : callables()) {
    Op& op = all.emplace_back(op_of(called));
    using Plain = PyCFunction;
    op.definition = {op.called.name.c_str(),
                     reinterpret_cast<Plain>(reinterpret_cast<void*>(&call)),
                     METH_FASTCALL | METH_KEYWORDS, op.text.c_str()};
    const py::object owner = py::cast(&op, py::return_value_policy::reference);
    const auto function = py::reinterpret_steal<py::object>(
        PyCFunction_NewEx(&op.definition, owner.ptr(), package.ptr()));
    module.attr(op.called.name.c_str()) = function;
    if (op.tensors() > 0 && !called.takes_whole(0))  // x.where(mask, y) means something elsewhere
      for (const py::object& type : types)
        type.attr(op.called.name.c_str()) =
            py::reinterpret_steal<py::object>(PyInstanceMethod_New(function.ptr()));
    std::vector<std::string> tensors, options;
    for (const std::string& tensor : called.tensors) tensors.push_back(tensor);
    for (const std::string& option : called.options) options.push_back(in_python(option));
    rows.append(py::make_tuple(op.called.name, tensors, options, find_op(op.called.name)->formula));
  }
  module.attr("ops") = rows;
}

}  // namespace tapehead
