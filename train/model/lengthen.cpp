#include "lengthen.hpp"
#include "../../core/plural.hpp"
#include "../config/names.hpp"
#include "parts.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

/// Returns `none, sinusoidal or t5`: position encodings without a parameter per position.
std::string unlearned_positions(TrainConfig config, const Registry& registry) {
  std::vector<std::string> kinds;
  for (const std::string& name : registry.positions().names()) {
    config.position = name;
    ModelOptions options = model_options(config, registry);
    options.vocabulary = 1;
    const TokenEmbedding one(options, 1), two(options, 2);
    if (count_parameters(one) == count_parameters(two)) kinds.push_back(name);
  }
  return alternatives(kinds);
}

bool has_random_positions(const TrainConfig& config, const Registry& registry) {
  const std::vector<Option>& options = registry.positions().chosen(config).options;
  return has_named(options, "random-positions");
}

}  // namespace

std::unique_ptr<TaskModel> with_longer_context(const TaskModel& trained, const TrainConfig& config,
                                               const Task& longer, const Registry& registry) {
  if (longer.vocabulary() != trained.options.vocabulary)
    throw UsageError(
        "{}: at the new length the vocabulary has {}, but the model was trained with {}",
        config.task, plural(longer.vocabulary(), "token"), trained.options.vocabulary);
  auto model = make_meta_model(config, longer, registry);
  if (model->options.context <= trained.options.context &&
      model->options.source <= trained.options.source)
    return nullptr;
  const std::vector<Parameter*> weights = parameters(*trained.module);
  const std::vector<Parameter*> same = parameters(*model->module);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i >= same.size() || same[i]->shape != weights[i]->shape)
      throw UsageError(
          "{} has shape {}, which depends on the length: a model with --position {} can't read "
          "longer inputs; train it with --position {}{}",
          weights[i]->path, weights[i]->shape, config.position,
          unlearned_positions(config, registry),
          has_random_positions(config, registry) ? ", or with --random-positions" : "");
    same[i]->dtype = weights[i]->dtype;
    same[i]->set(weights[i]->value());
  }
  return model;
}

}  // namespace tapehead
