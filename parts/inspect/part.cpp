#include "../../cli/attention/heads.hpp"
#include "../../cli/extensions.hpp"
#include "../../train/evaluate.hpp"
#include "command/experiments.hpp"
#include "curvature.hpp"
#include "fourier.hpp"

#include <algorithm>

namespace tapehead {
namespace {

struct Measured {
  std::string metric = "none";
  void options(Fields& f) {
    f(name, metric, values,
      "extra metrics of evaluations (sharpness = largest Hessian eigenvalue of the first batch's "
      "loss, fourier = Nanda's progress measures of modular, induction = Olsson's head scores):");
  }

  static constexpr const char* name = "metric";
  static constexpr Choice<int> values[] = {
      {"none", 0}, {"sharpness", 1}, {"fourier", 2}, {"induction", 3}};
};

/// Returns whether --metric is this choice.
std::function<bool(const TrainConfig&)> is_chosen(const std::string& choice) {
  return [=](const TrainConfig& config) {
    const auto found = config.own.texts.find(Measured::name);
    return found != config.own.texts.end() && found->second == choice;
  };
}

double sharpness_of(const TaskModel& model, const Task& task, const TrainConfig& config) {
  return sharpness(LossHessian(model, first_training_examples(task, config, config.batch),
                               evaluation_batch_size(task), custom_loss(model, task)));
}

ModelMetric fourier_metric(const std::string& name, double FourierProgress::*value) {
  return {name, is_chosen("fourier"),
          [=](const TaskModel& model, const Task&, const TrainConfig& config) {
            return fourier_progress(model, config).*value;
          }};
}

/// Returns the highest mean weight that a head has on the keys of a pattern.
double strongest_head(const TaskModel& model, const Task& task, const Pattern& pattern) {
  constexpr Index examples = 64;
  double highest = 0;
  const std::vector<HeadReading> heads = read_heads(model, task, 0, examples);
  if (heads.empty())
    throw UsageError("--metric induction needs attention weights, which this attention lacks");
  for (const HeadReading& head : heads) highest = std::max(highest, head.tally.weight(pattern));
  return highest;
}

ModelMetric prefix_matching_metric() {
  return {"prefix_matching", is_chosen("induction"),
          [](const TaskModel& model, const Task& task, const TrainConfig&) {
            Pattern pattern;
            pattern.rule = {Pattern::Kind::induction, 0};
            pattern.rows = task.has_answers() ? Rows::answer : Rows::repeated;
            return strongest_head(model, task, pattern);
          }};
}

ModelMetric previous_token_metric() {
  return {"previous_token", is_chosen("induction"),
          [](const TaskModel& model, const Task& task, const TrainConfig&) {
            Pattern pattern;
            pattern.rule = {Pattern::Kind::step, 1};
            return strongest_head(model, task, pattern);
          }};
}

}  // namespace

/// Adds the command `inspect`, `attention --summary`, and `train --metric`.
void add_inspect(Registry& registry) {
  registry.option(options_of<Measured>().at(0));
  registry.extend(ModelMetric{"sharpness", is_chosen("sharpness"), sharpness_of});
  registry.extend(fourier_metric("restricted_loss", &FourierProgress::restricted_loss));
  registry.extend(fourier_metric("excluded_loss", &FourierProgress::excluded_loss));
  registry.extend(fourier_metric("fourier_logits", &FourierProgress::logits));
  registry.extend(fourier_metric("fourier_embedding", &FourierProgress::embedding));
  registry.extend(prefix_matching_metric());
  registry.extend(previous_token_metric());
  registry.extend(CommandEntry{"inspect", add_inspect_command}.in("Inspect"));
  registry.extend(HeadsSummary{[](const LoadedRun& run, const Terminal& terminal) {
                                 return to_text(heads_document(run, {}, terminal), terminal);
                               },
                               "inspect heads writes pages and JSON"});
}

}  // namespace tapehead
