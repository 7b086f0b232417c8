#include "../../cli/extensions.hpp"
#include "../../train/evaluate.hpp"
#include "command/experiments.hpp"
#include "curvature.hpp"

namespace tapehead {
namespace {

struct Measured {
  bool sharpness = false;
  void options(Fields& f) {
    f(name, sharpness, values,
      "extra metric of evaluations (sharpness = largest Hessian eigenvalue of the first batch's "
      "loss)");
  }

  static constexpr const char* name = "metric";
  static constexpr Choice<bool> values[] = {{"none", false}, {"sharpness", true}};
};

ModelMetric sharpness_metric() {
  return {"sharpness",
          [](const TrainConfig& config) {
            const auto found = config.own.texts.find(Measured::name);
            return found != config.own.texts.end() && found->second == "sharpness";
          },
          [](const TaskModel& model, const Task& task, const TrainConfig& config) {
            return sharpness(LossHessian(model, first_training_examples(task, config, config.batch),
                                         evaluation_batch_size(task), custom_loss(model, task)));
          }};
}

}  // namespace

/// Adds the command `inspect`, `attention --summary`, and `train --metric`.
void add_inspect(Registry& registry) {
  registry.option(options_of<Measured>().at(0));
  registry.extend(sharpness_metric());
  registry.extend(CommandEntry{"inspect", add_inspect_command}.in("Inspect"));
  registry.extend(HeadsSummary{[](const LoadedRun& run, const Terminal& terminal) {
                                 return to_text(heads_document(run, {}, terminal), terminal);
                               },
                               "inspect heads writes pages and JSON"});
}

}  // namespace tapehead
