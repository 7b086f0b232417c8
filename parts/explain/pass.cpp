#include "pass.hpp"
#include "../../core/checks/overwrite.hpp"
#include "../../core/ops.hpp"
#include "../../core/tape.hpp"
#include "../../nn/layers.hpp"
#include "../../train/config/options.hpp"
#include "../../train/step/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tapehead {
namespace {

/// Computes the example's loss, with fused ops replaced by their decompositions.
Tensor loss_of(const LoadedRun& run, const Batch& batch) {
  const PrimitiveOpsScope primitive;
  Pass pass = Pass::evaluation();
  if (const auto own = custom_loss(*run.model, *run.task))
    return pass.with_added_losses((*own)(batch, pass));
  const Tensor logits = logits_of(*run.model->module, batch, pass);
  const ModuleScope scope(loss_scope);
  return pass.with_added_losses(cross_entropy(logits, batch.targets));
}

Batch in_f64(Batch batch) {
  for (Tensor* x : {&batch.inputs, &batch.targets})
    if (*x && x->is_float()) *x = cast(*x, DType::f64);
  for (auto& [name, x] : batch.named)
    if (x.is_float()) x = cast(x, DType::f64);
  return batch;
}

/// Collects the paths of a model's norm layers.
struct Norms : Visitor {
  void enter(const std::string&, Module& module) override {
    if (dynamic_cast<LayerNorm*>(&module) || dynamic_cast<RMSNorm*>(&module))
      paths.push_back(path());
  }
  std::vector<std::string> paths;
};

/// Returns whether a step is a view of an earlier step that others use as well. Such a step can't
/// be perturbed alone.
bool is_shared_view(const ExplainedPass& pass, const ExplainedStep& step) {
  for (const int input : step.inputs) {
    if (input < 0 || pass.steps[input].value.dtype() != DType::f64 ||
        pass.steps[input].value.data<double>() != step.value.data<double>())
      continue;
    std::ptrdiff_t uses = 0;
    for (const ExplainedStep& each : pass.steps)
      uses += std::count(each.inputs.begin(), each.inputs.end(), input);
    return uses > 1;
  }
  return false;
}

}  // namespace

Example explained_example(const LoadedRun& run, Index number) {
  const Task& task = *run.task;
  if (number < 0 || number >= held_out_size(task))
    throw UsageError("--example {}: the validation examples are 0 to {}", number,
                     held_out_size(task) - 1);
  Example example = held_out_example(task, number);
  if (task.has_answers() || example.question > 0) return example;
  constexpr std::size_t glance = 17;  // number of tokens shown of a plain text
  example.tokens.resize(std::min(example.tokens.size(), glance));
  example.question = 0;
  return example;
}

ExplainedPass explain_pass(LoadedRun& run, const Example& example) {
  Module& module = *run.model->module;
  convert(module, DType::f64);
  const Batch batch = in_f64(run.model->batch({example}));
  ExplainedPass result;
  const auto tape = std::make_shared<Tape>();
  TapeRecording recording;
  const Tensor loss = loss_of(run, batch);
  result.loss = loss.item();
  const Gradients gradients = tape->backward(loss, {false, true, true});
  const std::vector<int>& tokens = example.tokens;
  result.question = run.task->show({tokens.begin(), tokens.begin() + example.question});
  result.answer = run.task->show({tokens.begin() + example.question, tokens.end()});

  Norms norms;
  module.visit(norms);
  result.norms = norms.paths;
  std::map<std::uint64_t, std::string> parameters;
  walk(module, [&](const std::string& path, Parameter& parameter) {
    parameters[parameter.value().id()] = path;
  });
  std::map<std::string, int> uses;
  for (const RecordedStep& step : recording.steps()) {
    ExplainedStep named;
    static_cast<RecordedStep&>(named) = step;
    if (!named.gradient && gradients.contains(named.value))
      named.gradient = gradients[named.value];  // zeros, which the step doesn't record
    named.name = "constant";
    const auto parameter = parameters.find(named.value.id());
    if (!named.op.empty()) {
      named.name = (named.module.empty() ? "" : named.module + "/") + named.op;
      if (const int use = ++uses[named.name]; use > 1) named.name += fmt::format(".{}", use);
    } else if (parameter != parameters.end()) {
      named.name = parameter->second;
      // A parameter of the root module has no dot in its path.
      const std::size_t dot = named.name.rfind('.');
      named.module = dot == std::string::npos ? "" : named.name.substr(0, dot);
      named.parameter = true;
    }
    result.steps.push_back(std::move(named));
  }
  result.vjp = [tape, steps = result.steps](std::size_t step, const Tensor& dy) {
    return tape->differentiate(steps[step].value, dy);
  };
  return result;
}

void measure(LoadedRun& run, const Example& example, ExplainedPass& pass, double work) {
  const Batch batch = in_f64(run.model->batch({example}));
  double size = 4e5;  // cost of a pass in elements, with overhead per op
  double moved = 0;   // number of perturbed steps
  for (const ExplainedStep& step : pass.steps) {
    size += static_cast<double>(step.value.size());
    moved += step.gradient ? 1 : 0;
  }
  const auto each = static_cast<std::size_t>(std::max(1.0, work * 1e6 / (7 * size * moved)));
  int op = -1;
  for (ExplainedStep& step : pass.steps) {
    if (!step.op.empty()) ++op;
    if (!step.gradient || &step == &pass.steps.back() || is_shared_view(pass, step)) continue;
    const std::vector<double> at = step.value.values(), gradient = step.gradient.values();
    std::vector<double> quotients(at.size(), std::nan(""));
    std::vector<std::size_t> order(at.size());
    std::iota(order.begin(), order.end(), 0);
    const std::size_t count = std::min(each, order.size());
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return std::abs(gradient[a]) > std::abs(gradient[b]);
                      });
    double square = 0;
    for (const double value : at) square += std::isfinite(value) ? value * value : 0;
    const double scale = square > 0 ? std::sqrt(square / static_cast<double>(at.size())) : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t element = order[i];
      if (!std::isfinite(at[element])) continue;
      const double h = 1e-3 * std::max(scale, std::abs(at[element]));
      const auto loss = [&](double by) {
        std::vector<double> values = at;
        values[element] += by;
        const Tensor there = tensor(values, step.value.shape(), DType::f64);
        Tape tape;
        ReplacedResult result(step.op.empty() ? -1 : op, there);
        const ListenerScope listening(&result);
        if (step.op.empty()) overwrite(step.value, there);
        return loss_of(run, batch).item();
      };
      const Difference found =
          difference(loss, h, std::abs(at[element]), 0x1p-50 * std::max(1.0, std::abs(pass.loss)));
      quotients[element] = found.slope;
      if (found.kink) step.kinks[static_cast<Index>(element)] = found;
    }
    if (step.op.empty()) overwrite(step.value, tensor(at, step.value.shape(), DType::f64));
    step.difference = tensor(quotients, step.value.shape(), DType::f64);
  }
}

std::size_t ExplainedPass::find(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].name == name && name != "constant") return i;
    if (steps[i].name != "constant") names.push_back(steps[i].name);
  }
  refuse_unknown("step", name, names);
}

Json to_json(const ExplainedPass& pass) {
  Json steps = Json::array();
  for (const ExplainedStep& step : pass.steps) {
    Json sent = Json::array();
    for (const Tensor& grad : step.sent) sent.push_back(grad ? Json(grad.values()) : Json());
    Json next = {{"path", step.name},           {"op", step.op},
                 {"module", step.module},       {"inputs", Json(step.inputs)},
                 {"shape", step.value.shape()}, {"value", Json(step.value.values())}};
    if (step.gradient) next["gradient"] = Json(step.gradient.values());
    if (!step.sent.empty()) next["sent"] = std::move(sent);
    steps.push_back(std::move(next));
  }
  return {{"question", pass.question},
          {"answer", pass.answer},
          {"loss", pass.loss},
          {"steps", std::move(steps)}};
}

}  // namespace tapehead
