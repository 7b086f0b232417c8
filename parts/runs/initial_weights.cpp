#include "initial_weights.hpp"
#include "../../cli/extensions.hpp"
#include "../../train/model/architecture.hpp"
#include "../../train/optimizers.hpp"
#include "../../train/runs/digest.hpp"

namespace tapehead {

std::optional<InitialDigests> start_again(const RunFolder& folder, const std::string& origin,
                                          const TrainConfig& config, const Task& task,
                                          const Registry& registry, Index last,
                                          const RunFolder& again) {
  if (origin.empty()) return {};
  std::optional<InitialDigests> found;
  const std::vector<Index> kept = folder.steps();
  const bool has_first = !kept.empty() && kept.front() == 0;
  auto model = make_meta_model(config, task, registry);
  if (has_first) folder.load_step(*model->module, 0);
  const auto& all = registry.extensions<InitialWeights>();
  const auto made =
      find_if(all, [&](const InitialWeights& each) { return each.task == config.task; });
  if (origin == "compiled" && made != all.end()) {
    const std::string recorded = has_first ? digest(*model->module) : "";
    model = made->make(config, registry);
    if (has_first) found = {recorded, digest(*model->module)};
  } else if (!has_first) {
    throw UsageError(
        "verify: {} was trained from {} weights, and no longer has its checkpoint of step 0",
        folder.path(), origin);
  }
  if (last == 0 && !found)
    throw UsageError("verify: {} has no checkpoint to compare", folder.path());
  if (last == 0) return found;
  const auto optimizer = registry.optimizers().make(config.optimizer).make(config, *model->module);
  again.save(*model->module, *optimizer, 0);
  return found;
}

}  // namespace tapehead
