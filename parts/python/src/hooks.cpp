#include "hooks.hpp"

#include "../../../train/files/strings.hpp"

namespace tapehead {
namespace {

/// A function that `with run.hook(point, f)` has set.
struct ActiveHook {
  std::size_t number;
  std::shared_ptr<Module> model;
  std::string point;
  py::object f;
};
std::vector<ActiveHook>& active_hooks() {
  struct Hooks {
    ~Hooks() {
      if (!all.empty()) run_with_gil([left = new auto(std::move(all))] { delete left; });
    }
    std::vector<ActiveHook> all;
  };
  static thread_local Hooks hooks;
  return hooks.all;
}

std::string name_of(const HookPoint& point) {
  return *point.module ? fmt::format("{}.{}", point.module, point.name) : std::string(point.name);
}

bool is_pattern(const ActiveHook& hook) { return ends_with(hook.point, ".pattern"); }

/// Returns f(x), converted to x's type, or x if the function returns None.
Tensor hooked(const ActiveHook& hook, const Tensor& x) {
  const std::size_t calls = watch_calls();
  const py::object y = hook.f(x);
  // Attention weights have a gradient only if the hook returns another tensor.
  if (y.is_none()) return is_pattern(hook) && watch_calls() > calls ? x + 0 : x;
  const Tensor converted = to_tensor_beside(y, x.dtype());
  return converted.dtype() == x.dtype() ? converted : cast(converted, x.dtype());
}

std::size_t add_hook(const std::shared_ptr<Module>& model, const std::string& point,
                     const py::object& f) {
  static std::atomic<std::size_t> last{0};
  active_hooks().push_back({++last, model, point, f});
  return last;
}

void remove_hook(std::size_t number) {
  std::vector<ActiveHook>& all = active_hooks();
  erase_if(all, [&](const ActiveHook& each) { return each.number == number; });
}

/// Returns the names of the model's hook points in the order of a forward pass.
std::vector<std::string> points_of(const Run& run) {
  std::vector<std::string> names;
  Pass pass = Pass::evaluation();
  pass.hook_patterns = true;
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    names.push_back(name_of(point));
    return x;
  };
  // A gpt has its points for any tokens, so that no example is needed.
  const bool any = run.model->arch == "gpt" && run.task->vocabulary() > 0;
  const Example example = any ? Example{{0, 0}, 1} : held_out_example(*run.task, 0);
  const Pause pause;
  logits_of(*run.model->module, run.model->batch({example}), pass);
  return names;
}

/// Returns (inputs, targets) of the first validation examples, as in training.
py::tuple validation(const Run& run, Index examples) {
  if (examples < 1) throw ValueError("validation: examples is {}, expected at least 1", examples);
  const Batch batch = without_gil([&] {
    const Index end = std::min(examples, held_out_size(*run.task));
    return run.model->batch(held_out_examples(*run.task, 0, end));
  });
  return py::make_tuple(batch.inputs, batch.targets);
}

}  // namespace

void set_hooks(Pass& pass, const Module& model) {
  std::vector<ActiveHook> mine;
  for (const ActiveHook& each : active_hooks())
    if (each.model.get() == &model) mine.push_back(each);
  if (mine.empty()) return;
  for (const ActiveHook& each : mine) pass.hook_patterns = pass.hook_patterns || is_pattern(each);
  // Activation checkpointing and evaluations copy the function and call it without the GIL.
  const auto shared = std::shared_ptr<std::vector<ActiveHook>>(
      new std::vector<ActiveHook>(std::move(mine)),
      [](const std::vector<ActiveHook>* all) { run_with_gil([all] { delete all; }); });
  pass.hook = [shared](const HookPoint& point, const Tensor& x) {
    const std::string name = name_of(point);
    Tensor y = x;
    for (const ActiveHook& each : *shared) {
      if (each.point != name) continue;
      const FloatMode kept;  // restores the floating-point mode if Python code changes it
      const py::gil_scoped_acquire acquired;
      y = hooked(each, y);
    }
    return y;
  };
}

std::unique_ptr<TaskModel> hooked_model(const Run& run) {
  const py::gil_scoped_acquire acquired;
  Pass pass = Pass::evaluation();
  set_hooks(pass, *run.model->module);
  if (!pass.hook) return nullptr;
  auto model = make_meta_model(run.config, *run.task, registry());
  const std::vector<Parameter*> from = parameters(*run.model->module);
  const std::vector<Parameter*> to = parameters(*model->module);
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i]->dtype = from[i]->dtype;
    to[i]->set(from[i]->value());
  }
  model->evaluation = pass;
  return model;
}

void refuse_hooks(const char* what, const Module& model) {
  for (const ActiveHook& each : active_hooks())
    if (each.model.get() == &model)
      throw ValueError(
          "{}: replaces activations itself, so it can't run the hook at '{}'; end the "
          "hook first",
          what, each.point);
}

void bind_hooks(py::module_& module) {
  module.def("add_hook", &add_hook, "model"_a, "point"_a, "f"_a);
  module.def("remove_hook", &remove_hook, "number"_a);
  module.def("points", &points_of, "run"_a, WithoutGil());
  module.def("validation", &validation, "run"_a, "examples"_a, Computing());
}

}  // namespace tapehead
