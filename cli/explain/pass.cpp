#include "pass.hpp"
#include "../../core/ops.hpp"
#include "../../train/config/options.hpp"
#include "../../train/step.hpp"

#include <fmt/format.h>

#include <map>

namespace tapehead {

ExplainedPass explain_pass(LoadedRun& run, const Example& example) {
  Module& module = *run.model->module;
  convert(module, DType::f64);
  const Batch batch = run.model->batch({example});
  ExplainedPass result;
  result.tape = std::make_unique<Tape>();
  TapeRecording recording;
  Gradients gradients;
  {
    const Listening listening(&recording);
    const Primitive primitive;
    Pass pass = Pass::evaluation();
    const Tensor logits = module(batch.inputs, pass);
    const Scope scope(loss_scope);
    const Tensor loss = cross_entropy(logits, batch.targets);
    result.loss = loss.item();
    gradients = result.tape->backward(loss, {false, true});
  }
  const std::vector<int>& tokens = example.tokens;
  result.question = run.task->show({tokens.begin(), tokens.begin() + example.question});
  result.answer = run.task->show({tokens.begin() + example.question, tokens.end()});

  std::map<std::uint64_t, std::string> parameters;
  walk(module, [&](const std::string& path, Parameter& parameter) {
    parameters[parameter.value().id()] = path;
  });
  std::map<std::string, int> uses;
  for (RecordedStep& step : recording.steps(gradients)) {
    NamedStep named{std::move(step), "constant", false};
    const auto parameter = parameters.find(named.value.id());
    if (!named.op.empty()) {
      named.path = (named.module.empty() ? "" : named.module + "/") + named.op;
      if (const int use = ++uses[named.path]; use > 1) named.path += fmt::format(".{}", use);
    } else if (parameter != parameters.end()) {
      named.path = parameter->second;
      named.module = named.path.substr(0, std::max<std::size_t>(named.path.rfind('.'), 1));
      named.parameter = true;
    }
    result.steps.push_back(std::move(named));
  }
  return result;
}

int ExplainedPass::find(const std::string& path) const {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].path == path && path != "constant") return static_cast<int>(i);
    if (steps[i].path != "constant") paths.push_back(steps[i].path);
  }
  refuse_unknown("step", path, paths);
}

Json to_json(const ExplainedPass& pass) {
  Json steps = Json::array();
  for (const NamedStep& step : pass.steps) {
    Json shape = Json::array(), sent = Json::array();
    for (int axis = 0; axis < step.value.rank(); ++axis) shape.push_back(step.value.dim(axis));
    for (const Tensor& grad : step.sent) sent.push_back(grad ? Json(grad.values()) : Json());
    Json next = {{"path", step.path},     {"op", step.op},
                 {"module", step.module}, {"inputs", Json(step.inputs)},
                 {"shape", shape},        {"value", Json(step.value.values())}};
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
