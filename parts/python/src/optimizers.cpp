// Gradients, and optimizers: those of the command, and those whose update is a method of Python.
#include "configured.hpp"
#include "python_module.hpp"

#include "../../../optim/clip.hpp"

namespace tapehead {
namespace {

/// What an optimizer trains, each parameter once.
struct Group : Module {
  Tensor forward(const Tensor&, Pass&) const override {
    throw ValueError("a group of parameters computes nothing");
  }
  void visit(Visitor& v) override {
    for (const auto& [name, parameter] : all) v(name, *parameter);
  }
  void add(const std::string& name, const std::shared_ptr<Parameter>& parameter) {
    for (const auto& [other, known] : all)
      if (known == parameter) return;
    if (parameter->path.empty()) parameter->path = name;
    all.emplace_back(name, parameter);
  }

  std::vector<std::pair<std::string, std::shared_ptr<Parameter>>> all;
};

/// A module, a parameter, or a dict or list of such, in `depth` others.
void add_to(Group& group, const std::string& name, py::handle trained, int depth = 0) {
  constexpr int deepest = 100;
  if (depth > deepest)
    throw ValueError(
        "an optimizer trains modules and parameters, or lists of them; these lists are nested more "
        "than {} deep, or one contains itself",
        deepest);
  const std::string start = name.empty() ? "" : name + ".";
  if (py::isinstance<Parameter>(trained)) {
    group.add(name.empty() ? "0" : name, trained.cast<std::shared_ptr<Parameter>>());
  } else if (py::isinstance<Module>(trained)) {
    for (const auto& [path, parameter] : named_parameters(trained.cast<std::shared_ptr<Module>>()))
      group.add(start + path, parameter);
  } else if (py::isinstance<py::dict>(trained)) {
    for (const py::handle key : py::list(py::reinterpret_borrow<py::object>(trained)))
      add_to(group, start + std::string(py::str(key)), py::object(trained[key]), depth + 1);
  } else if (!tensor_in(trained) && py::isinstance<py::iterable>(trained) &&
             !py::isinstance<py::str>(trained)) {
    std::size_t i = 0;
    for (const py::handle each : py::reinterpret_borrow<py::iterable>(trained))
      add_to(group, fmt::format("{}{}", start, i++), each, depth + 1);
  } else {
    throw py::type_error(fmt::format(
        "an optimizer trains modules and parameters, or lists of them, and this is a {}{}",
        Py_TYPE(trained.ptr())->tp_name,
        tensor_in(trained) ? "; tapehead.Parameter(x) makes a parameter of it" : ""));
  }
}

std::shared_ptr<Group> group_of(py::handle trained) {
  auto group = std::make_shared<Group>();
  add_to(*group, "", trained);
  if (group->all.empty())
    throw ValueError("an optimizer trains parameters, and there are none in what it was given");
  return group;
}

std::unique_ptr<Optimizer> make_optimizer(const std::string& name,
                                          const std::shared_ptr<Module>& group,
                                          const Settings& given) {
  const auto& all = registry().optimizers();
  const auto known = [read = all.find(name).all_read()](const TrainOption& option) {
    return option.name == "lr" || std::count(read.begin(), read.end(), option.name) > 0;
  };
  return all.make(name).make(configured(name, given, known), *group);
}

/// An optimizer whose `update` is a method of Python, called for one parameter after the other.
class PythonOptimizer : public Optimizer {
 public:
  PythonOptimizer(const std::shared_ptr<Group>& group, double rate)
      : Optimizer(Trained(*group)), group_(group) {
    lr = rate;
  }
  std::vector<State> state() override { return {}; }

 private:
  void apply(const Gradients& gradients, const StepLoss&) override {
    const py::gil_scoped_acquire acquired;
    const py::object self =
        py::cast(static_cast<Optimizer*>(this), py::return_value_policy::reference);
    if (!py::hasattr(self, "update"))
      throw py::type_error("an optimizer of one's own has a method update(parameter, gradient)");
    for (const auto& [name, parameter] : group_->all) {
      const Tensor value = parameter->value();
      if (parameter->trainable && gradients.contains(value) && gradients.stored(value))
        self.attr("update")(parameter, gradients[value]);
    }
  }

  std::shared_ptr<Group> group_;
};

void stepped(Optimizer& optimizer, const py::object& gradients) {
  if (!py::isinstance<Gradients>(gradients))
    throw py::type_error(fmt::format("step takes what tape.gradients(loss) gives, not a {}",
                                     Py_TYPE(gradients.ptr())->tp_name));
  const auto& all = gradients.cast<const Gradients&>();
  without_gil([&] { optimizer.step(all); });
}

}  // namespace

void bind_optimizers(py::module_& module) {
  py::class_<Gradients>(module, "Gradients",
                        "The gradients of all that a tape watched: gradients[x] is that of x.")
      .def(
          "__getitem__",
          [](const Gradients& all, const py::object& x) {
            if (!tensor_in(x))
              throw py::type_error("gradients[x] is that of a tensor or a parameter x");
            return all[value_in(x)];
          },
          Computing())
      .def("__contains__",
           [](const Gradients& all, const py::object& x) {
             return tensor_in(x) && all.contains(value_in(x));
           })
      .def_property_readonly("norm", py::cpp_function(&global_norm, Computing()),
                             "The length of all gradients together.")
      .def(
          "clip", [](const Gradients& all, double most) { return clip(all, most); }, "norm"_a,
          Computing(), "The same, scaled so that their norm is at most this.");
  py::class_<Optimizer, std::shared_ptr<Optimizer>>(
      module, "Optimizer",
      "Gives parameters new values. One of one's own derives from it, and has a method "
      "update(parameter, gradient), which sets parameter.value.")
      .def(py::init([](const py::object& trained, double lr) -> std::shared_ptr<Optimizer> {
             return std::make_shared<PythonOptimizer>(group_of(trained), lr);
           }),
           "trained"_a, "lr"_a = 1e-3)
      .def_readwrite("lr", &Optimizer::lr, "The learning rate, which may be set before each step.")
      .def_readonly("steps", &Optimizer::steps, "How many steps it has made.")
      .def("step", &stepped, "gradients"_a, Computing(), "One step down these gradients.");
  module.def(
      "optimizer",
      [](const std::string& name, const py::object& trained, const Settings& given) {
        // It points to the parameters of the group, which so lives as long.
        const std::shared_ptr<Module> group = group_of(trained);
        std::shared_ptr<Optimizer> made = make_optimizer(name, group, given);
        struct Both {
          std::shared_ptr<Module> group;
          std::shared_ptr<Optimizer> optimizer;
        };
        const auto both = std::make_shared<Both>(Both{group, std::move(made)});
        return std::shared_ptr<Optimizer>(both, both->optimizer.get());
      },
      Computing());
}

}  // namespace tapehead
