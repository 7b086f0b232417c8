// Optimizers: built-in ones and custom ones with `update` as a Python method.
#include "configured.hpp"
#include "python_module.hpp"

#include "../../../train/files/number.hpp"
#include "../../../train/optimizers.hpp"
#include "../../../train/safetensors/safetensors.hpp"

namespace tapehead {
namespace {

/// The parameters that an optimizer trains, each listed once.
struct Group : Module {
  Tensor forward(const Tensor&, Pass&) const override {
    throw ValueError("a group of parameters has no forward");
  }
  void visit(Visitor& v) override {
    for (const Entry& entry : all) v(entry.name, *entry.parameter);
  }
  void add(const std::string& name, const py::object& object) {
    const auto parameter = object.cast<std::shared_ptr<Parameter>>();
    for (const Entry& entry : all)
      if (entry.parameter == parameter) return;
    std::string unique = name;
    while (has_named(all, unique)) unique += '_';
    if (parameter->path.empty()) parameter->path = unique;
    all.push_back({unique, parameter, object});
  }
  struct Entry {
    std::string name;
    std::shared_ptr<Parameter> parameter;
    py::object object;
  };
  std::vector<Entry> all;
};

/// Adds a module, a parameter, or a dict or list of these; `depth` is the level of nested dicts and
/// lists.
void add_to(Group& group, const std::string& name, py::handle trained, int depth = 0) {
  constexpr int deepest = 100;
  if (depth > deepest)
    throw ValueError(
        "an optimizer trains modules and parameters, or lists of them; these lists are nested more "
        "than {} levels deep, or contain themselves",
        deepest);
  const std::string start = name.empty() ? "" : name + ".";
  if (py::isinstance<Parameter>(trained)) {
    group.add(name.empty() ? "0" : name, py::reinterpret_borrow<py::object>(trained));
  } else if (py::isinstance<Module>(trained)) {
    for (const ModulePart& part : named_parameters(trained.cast<std::shared_ptr<Module>>()))
      group.add(start + part.path, part.object);
  } else if (py::isinstance<py::dict>(trained)) {
    for (const py::handle key : py::list(py::reinterpret_borrow<py::object>(trained)))
      add_to(group, start + std::string(py::str(key)), py::object(trained[key]), depth + 1);
  } else if (!tensor_in(trained) && py::isinstance<py::iterable>(trained) &&
             !py::isinstance<py::str>(trained)) {
    std::size_t i = 0;
    for (const py::handle each : py::reinterpret_borrow<py::iterable>(trained))
      add_to(group, fmt::format("{}{}", start, i++), each, depth + 1);
  } else {
    throw py::type_error(
        fmt::format("an optimizer trains modules and parameters, or lists of them, got a {}{}",
                    Py_TYPE(trained.ptr())->tp_name,
                    tensor_in(trained) ? "; create a parameter with tapehead.Parameter(x)" : ""));
  }
}

std::shared_ptr<Group> group_of(py::handle trained) {
  auto group = std::make_shared<Group>();
  add_to(*group, "", trained);
  if (group->all.empty()) throw ValueError("an optimizer needs parameters, but it was given none");
  return group;
}

/// Throws ValueError if an option of an optimizer affects no parameter of the group.
void check_used(const Configurable& what, const std::string& name, const Group& group,
                const TrainConfig& config, const Settings& given) {
  std::vector<const Parameter*> all;
  for (const Group::Entry& entry : group.all) all.push_back(entry.parameter.get());
  std::vector<std::string> names;
  for (const auto& [option, value] : given)
    if (!(option == "weight-decay" && config.own.texts.at(option) == "0")) names.push_back(option);
  const auto unused = unused_option(registry().optimizers().make(name), all, names);
  if (!unused) return;
  const char* fix = unused->name == "lr"             ? "use AdamW, or Parameter(x, matrix=True)"
                    : unused->name == "weight-decay" ? "remove it, or set parameter.decay = True"
                                                     : "remove it";
  throw ValueError("{}: {} applies to none of the parameters: {}; {}", what.name,
                   spelled_in_python("--" + unused->name), unused->reason, fix);
}

/// Throws ValueError if the weights and the optimizer's state together won't fit in memory.
void check_state_fits(const std::string& title, const Group& group, const MakeOptimizer& make) {
  double bytes = 0;
  for (const Group::Entry& entry : group.all)
    bytes += static_cast<double>(entry.parameter->value().bytes().size()) *
             static_cast<double>(1 + make.moments(*entry.parameter));
  check_fits(title + ": its state and the weights need", bytes);
}

/// Returns the group's Parameter objects by name.
py::dict by_name(const Group& group) {
  py::dict named;
  for (const Group::Entry& entry : group.all) named[entry.name.c_str()] = entry.object;
  return named;
}

/// Returns a new built-in optimizer and a dict of its parameters by name.
py::tuple make_optimizer(const std::string& name, const std::string& title,
                         const py::object& trained, const Settings& given) {
  const Configurable what = optimizer_options(name, title);
  const TrainConfig config = configured(what, given);
  const std::shared_ptr<Group> group = group_of(trained);
  check_used(what, name, *group, config, given);
  check_state_fits(title, *group, registry().optimizers().make(name));
  // The optimizer has pointers to the group's parameters, so the group must live as long.
  struct Both {
    std::shared_ptr<Group> group;
    std::unique_ptr<Optimizer> optimizer;
  };
  const auto both =
      std::make_shared<Both>(Both{group, registry().optimizers().make(name).make(config, *group)});
  return py::make_tuple(std::shared_ptr<Optimizer>(both, both->optimizer.get()), by_name(*group));
}

/// An optimizer whose Python method `update` is called for each parameter.
class PythonOptimizer : public Optimizer {
 public:
  PythonOptimizer(const std::shared_ptr<Group>& group, double rate)
      : Optimizer(ParameterList(*group)), group_(group) {
    lr = rate;
  }
  std::vector<State> state() override { return {}; }
  const Group& group() const { return *group_; }

 private:
  void apply(const Gradients& gradients, const StepLoss&) override {
    const py::gil_scoped_acquire acquired;
    const py::object self =
        py::cast(static_cast<Optimizer*>(this), py::return_value_policy::reference);
    if (!py::hasattr(self, "update"))
      throw py::type_error("a custom optimizer must define update(parameter, gradient)");
    for (const Group::Entry& entry : group_->all) {
      const Tensor value = entry.parameter->value();
      if (entry.parameter->trainable && gradients.contains(value) && gradients.stored(value))
        self.attr("update")(entry.object, gradients[value]);
    }
  }

  std::shared_ptr<Group> group_;
};

// ---- optimizer state, for copied optimizers and for files

/// Sets the paths of parameters to their names in the group, which are unique, while it exists.
class NamedByGroup {
 public:
  explicit NamedByGroup(const py::dict& parameters) {
    for (const auto& [name, object] : parameters) {
      const auto parameter = object.cast<std::shared_ptr<Parameter>>();
      before_.emplace_back(parameter, std::exchange(parameter->path, name.cast<std::string>()));
    }
  }
  ~NamedByGroup() {
    for (auto& [parameter, path] : before_) parameter->path = std::move(path);
  }
  NamedByGroup(const NamedByGroup&) = delete;
  NamedByGroup& operator=(const NamedByGroup&) = delete;

 private:
  std::vector<std::pair<std::shared_ptr<Parameter>, std::string>> before_;
};

Tensor copied(const Tensor& x) {
  Tensor copy = Tensor::empty(x.shape(), x.dtype());
  const std::string_view bytes = x.bytes();
  std::copy(bytes.begin(), bytes.end(), copy.mutable_bytes());
  return copy;
}

using Tensors = std::map<std::string, Tensor>;

/// Copies the optimizer's state tensors by name, such as first.blocks.0.mlp.in.weight for AdamW's
/// mean of gradients.
Tensors state_of(Optimizer& optimizer, const py::dict& parameters) {
  const NamedByGroup named(parameters);
  Tensors all;
  for (const Optimizer::State& state : optimizer.state()) all[state.name] = copied(*state.tensor);
  return all;
}

/// Sets the optimizer's state. If names, shapes or types don't match, throws ValueError and changes
/// nothing.
void set_state(Optimizer& optimizer, const py::dict& parameters, const Tensors& tensors,
               Index steps, double lr) {
  const NamedByGroup named(parameters);
  const std::vector<Optimizer::State> states = optimizer.state();
  for (const Optimizer::State& state : states) {
    const auto found = tensors.find(state.name);
    if (found == tensors.end()) throw ValueError("'{}' is missing", state.name);
    const Tensor &x = found->second, &mine = *state.tensor;
    if (x.shape() != mine.shape() || x.dtype() != mine.dtype())
      throw ValueError("'{}' is {} {}, expected {} {}", state.name, x.dtype(), x.shape(),
                       mine.dtype(), mine.shape());
  }
  if (tensors.size() != states.size())
    throw ValueError("has {}, expected {}", plural(tensors.size(), "tensor"), states.size());
  for (const Optimizer::State& state : states) *state.tensor = copied(tensors.at(state.name));
  optimizer.steps = steps;
  optimizer.lr = lr;
}

constexpr const char *optimizer_key = "optimizer", *steps_key = "steps", *lr_key = "lr";

void save_state(Optimizer& optimizer, const std::string& name, const py::dict& parameters,
                const std::string& path) {
  write_safetensors(path, {{{checksum_key, ""},
                            {optimizer_key, name},
                            {steps_key, std::to_string(optimizer.steps)},
                            {lr_key, fmt::format("{}", optimizer.lr)}},
                           state_of(optimizer, parameters)});
}

void load_state(Optimizer& optimizer, const std::string& name, const py::dict& parameters,
                const std::string& path) {
  Safetensors contents = read_safetensors(path);
  auto& metadata = contents.metadata;
  if (metadata[optimizer_key] != name)
    throw FileError("{}: contains the state of {}, not of {}", path,
                    metadata[optimizer_key].empty() ? "no optimizer" : metadata[optimizer_key],
                    name);
  const auto steps = read_whole<Index>(metadata[steps_key]);
  const std::string& rate = metadata[lr_key];
  double lr = 0;
  if (!steps || *steps < 0 || read_number(rate.data(), rate.data() + rate.size(), lr) == nullptr)
    throw FileError("{}: steps {} and lr {} must be numbers", path, quote(metadata[steps_key]),
                    quote(rate));
  try {
    set_state(optimizer, parameters, contents.tensors, *steps, lr);
  } catch (const ValueError& error) {
    throw FileError("{}: {}", path, error.what());
  }
}

/// Takes one step with the result of tape.gradients(loss), or with a dict of gradients by parameter
/// or by name.
void stepped(const py::object& self, const py::object& gradients) {
  auto& optimizer = self.cast<Optimizer&>();
  if (py::isinstance<py::dict>(gradients)) {
    const Gradients all = gradients_in(gradients, self.attr("parameters"));
    return without_gil([&] { optimizer.step(all); });
  }
  if (!py::isinstance<Gradients>(gradients))
    throw py::type_error(
        fmt::format("step takes the result of tape.gradients(loss), or a dict of gradients by "
                    "parameter, got a {}",
                    Py_TYPE(gradients.ptr())->tp_name));
  const auto& all = gradients.cast<const Gradients&>();
  without_gil([&] { optimizer.step(all); });
}

}  // namespace

void bind_optimizers(py::module_& module) {
  py::class_<Optimizer, std::shared_ptr<Optimizer>>(
      module, "Optimizer",
      "Updates the values of parameters. A custom optimizer derives from it and defines "
      "update(parameter, gradient), which sets parameter.value.",
      py::custom_type_setup(&bind_attributes))
      .def(py::init([](const py::object& trained, double lr) -> std::shared_ptr<Optimizer> {
             return std::make_shared<PythonOptimizer>(group_of(trained), lr);
           }),
           "trained"_a, "lr"_a = 1e-3)
      .def_readwrite("lr", &Optimizer::lr, "The learning rate; it can be set before each step.")
      .def_readonly("steps", &Optimizer::steps, "The number of steps taken.")
      .def("step", &stepped, "gradients"_a, Computing(),
           "Takes one step with the result of tape.gradients(loss), or with a dict of arrays by "
           "parameter or by its name.");
  module.def("optimizer", &make_optimizer, "name"_a, "title"_a, "trained"_a, "options"_a,
             Computing());
  module.def(
      "optimizer_options",
      [](const std::string& name, const std::string& title) {
        return option_lines(optimizer_options(name, title));
      },
      "name"_a, "title"_a);
  module.def(
      "trained_by",
      [](const Optimizer& optimizer) {
        const auto* const own = dynamic_cast<const PythonOptimizer*>(&optimizer);
        return own ? by_name(own->group()) : py::dict();
      },
      "optimizer"_a);
  module.def("optimizer_state", &state_of, "optimizer"_a, "parameters"_a, Computing());
  module.def("set_optimizer_state", &set_state, "optimizer"_a, "parameters"_a, "tensors"_a,
             "steps"_a, "lr"_a, Computing());
  module.def("save_optimizer", &save_state, "optimizer"_a, "name"_a, "parameters"_a, "path"_a,
             Computing());
  module.def("load_optimizer", &load_state, "optimizer"_a, "name"_a, "parameters"_a, "path"_a,
             Computing());
}

}  // namespace tapehead
