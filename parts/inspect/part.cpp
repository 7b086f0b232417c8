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

ModelMetric fourier_metric() {
  return {std::vector<std::string>{"restricted_loss", "excluded_loss", "fourier_logits",
                                   "fourier_embedding"},
          is_chosen("fourier"), [](const TaskModel& model, const Task&, const TrainConfig& config) {
            const FourierProgress all = fourier_progress(model, config);
            return std::vector<double>{all.restricted_loss, all.excluded_loss, all.logits,
                                       all.embedding};
          }};
}

/// Returns the highest mean weight that a head has on the keys of a pattern.
double strongest(const std::vector<HeadReading>& heads, const Pattern& pattern) {
  double highest = 0;
  for (const HeadReading& head : heads) highest = std::max(highest, head.tally.weight(pattern));
  return highest;
}

ModelMetric induction_metric() {
  return {std::vector<std::string>{"prefix_matching", "previous_token"}, is_chosen("induction"),
          [](const TaskModel& model, const Task& task, const TrainConfig&) {
            constexpr Index examples = 64;
            const std::vector<HeadReading> heads = read_heads(model, task, 0, examples);
            if (heads.empty())
              throw UsageError(
                  "--metric induction needs attention weights, which this attention lacks");
            Pattern prefix, previous;
            prefix.rule = {Pattern::Kind::induction, 0};
            prefix.rows = task.has_answers() ? Rows::answer : Rows::repeated;
            previous.rule = {Pattern::Kind::step, 1};
            return std::vector<double>{strongest(heads, prefix), strongest(heads, previous)};
          }};
}

}  // namespace

/// Adds the command `inspect`, `attention --summary`, and `train --metric`.
void add_inspect(Registry& registry) {
  registry.option(options_of<Measured>().at(0));
  registry.extend(ModelMetric{"sharpness", is_chosen("sharpness"), sharpness_of});
  registry.extend(fourier_metric());
  registry.extend(induction_metric());
  registry.extend(CommandEntry{"inspect", add_inspect_command}.in("Inspect"));
  registry.extend(HeadsSummary{[](const LoadedRun& run, const Terminal& terminal) {
                                 return to_text(heads_document(run, {}, terminal), terminal);
                               },
                               "inspect heads writes pages and JSON"});
}

}  // namespace tapehead
