// Every op of the table by its name, as an expression of `tapehead explain` calls it.
#include "bindings.hpp"

#include "../../cli/explain/calls.hpp"

#include <algorithm>

namespace tapehead {
namespace {

OptionValue option_value(py::handle given) {
  if (py::isinstance<py::str>(given)) return {{}, given.cast<std::string>()};
  if (py::isinstance<py::sequence>(given)) return {given.cast<std::vector<double>>(), ""};
  return {{given.cast<double>()}, ""};
}

/// The type of plain numbers beside these tensors: the first one's.
DType type_beside(const std::vector<py::object>& given) {
  for (const py::object& value : given)
    if (py::isinstance<Tensor>(value)) return value.cast<Tensor>().dtype();
  return DType::f64;
}

std::string bare(const std::string& name) { return name.substr(0, name.find('?')); }

Tensor call(const Callable& op, const py::args& arguments, const py::kwargs& named) {
  std::vector<py::object> given, tensors;
  for (const py::handle value : arguments)
    given.push_back(py::reinterpret_borrow<py::object>(value));
  std::map<std::string, py::object> left;
  for (const auto& [name, value] : named)
    left[name.cast<std::string>()] = py::reinterpret_borrow<py::object>(value);
  const auto taken = [&](const std::string& name) {
    const auto found = left.find(name);
    const py::object value = found == left.end() ? py::none() : found->second;
    if (found != left.end()) left.erase(found);
    return value;
  };
  CallArguments called;
  called.op = op.name;
  if (op.variadic()) {
    tensors = std::move(given);
    given.clear();
  } else {
    const std::size_t first = std::min(given.size(), op.tensors.size());
    tensors.assign(given.begin(), given.begin() + first);
    given.erase(given.begin(), given.begin() + first);
    while (tensors.size() < op.tensors.size())
      tensors.push_back(taken(bare(op.tensors[tensors.size()])));
  }
  if (given.size() > op.options.size()) throw ValueError("{}: too many arguments", op.usage());
  for (std::size_t i = 0; i < op.options.size(); ++i) {
    const py::object value = i < given.size() ? given[i] : taken(op.options[i]);
    if (!value.is_none()) called.options[op.options[i]] = option_value(value);
  }
  if (!left.empty())
    throw ValueError("{}: '{}' is none of its arguments, or is given twice", op.usage(),
                     left.begin()->first);
  const DType number = type_beside(tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool optional = !op.variadic() && op.tensors[i].back() == '?';
    if (tensors[i].is_none() && !optional)
      throw ValueError("{}: {} is missing", op.usage(), op.variadic() ? "a part" : op.tensors[i]);
    called.tensors.push_back(tensors[i].is_none() ? Tensor() : to_tensor(tensors[i], number));
  }
  if (op.variadic() && tensors.empty()) throw ValueError("{}: no parts", op.usage());
  return without_gil([&] { return op.run(called); });
}

}  // namespace

void bind_ops(py::module_& module) {
  py::list names;
  for (const Callable& op : callables()) {
    const OpRow* row = find_op(op.name);
    const std::string about = fmt::format("{}: {}", op.usage(), row ? row->formula : "");
    module.def(
        op.name.c_str(),
        [&op](const py::args& arguments, const py::kwargs& named) {
          return call(op, arguments, named);
        },
        about.c_str());
    names.append(op.name);
  }
  module.attr("ops") = py::tuple(names);
}

}  // namespace tapehead
