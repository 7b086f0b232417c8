// Every op of the table by its name, as an expression of `tapehead explain` calls it.
#include "bindings.hpp"

#include "../../cli/explain/calls.hpp"

namespace tapehead {
namespace {

OptionValue option_value(py::handle given) {
  if (py::isinstance<py::str>(given)) return {{}, given.cast<std::string>()};
  if (py::isinstance<py::sequence>(given)) return {given.cast<std::vector<double>>(), ""};
  return {{given.cast<double>()}, ""};
}

/// Plain numbers get the type of the first tensor.
Tensor call(const std::string& name, const std::vector<py::object>& tensors,
            const std::map<std::string, py::object>& options) {
  CallArguments called;
  called.op = name;
  DType number = DType::f64;
  for (auto given = tensors.rbegin(); given != tensors.rend(); ++given)
    if (py::isinstance<Tensor>(*given)) number = given->cast<const Tensor&>().dtype();
  for (const py::object& given : tensors)
    called.tensors.push_back(given.is_none() ? Tensor() : to_tensor(given, number));
  for (const auto& [option, given] : options)
    if (!given.is_none()) called.options[option] = option_value(given);
  const Callable& op = find_callable(name);
  return without_gil([&] { return op.run(called); });
}

}  // namespace

void bind_ops(py::module_& module) {
  py::list ops;
  for (const Callable& op : callables()) {
    const OpRow* row = find_op(op.name);
    ops.append(py::make_tuple(op.name, op.tensors, op.options, row ? row->formula : ""));
  }
  module.attr("ops") = ops;
  module.def("call", &call);
}

}  // namespace tapehead
