#include "../../../cli/commands/load_run.hpp"
#include "../../../train/model/fine_tuning.hpp"
#include "curves.hpp"
#include "maps.hpp"

#include <algorithm>

namespace tapehead {

void add_at_checkpoints(Metrics& metrics, const std::string& path, const Registry& registry,
                        const AtCheckpoints& asked, const std::string& data) {
  const RunFolder folder = RunFolder::open(path);
  if (!asked.metric || !folder.has_checkpoint()) return;
  const LoadedRun run = load_run(path, registry, data);
  freeze(*run.model->module, run.config.freeze);
  std::vector<SavedStep> missing = saved_steps(folder, *run.model->module);
  if (const Curve* known = metrics.find("metrics." + asked.name)) {
    const auto is_known = [&](const SavedStep& one) { return contains(known->steps, one.step); };
    erase_if(missing, is_known);
  }
  // Starts with the last checkpoint, whose weights are already loaded.
  std::reverse(missing.begin(), missing.end());
  const std::vector<std::string>& names = asked.metric->names;
  const auto which = std::find(names.begin(), names.end(), asked.name) - names.begin();
  std::map<Index, double> points;
  double done = 0;
  for (const SavedStep& one : missing) {
    if (asked.on_progress) asked.on_progress(done++ / static_cast<double>(missing.size()));
    if (one.folder.empty() || read_saved_step(one.folder, *run.model->module))
      points[one.step] = asked.metric->compute(*run.model, *run.task, run.config).at(which);
  }
  add_points(metrics, asked.name, points);
}

}  // namespace tapehead
