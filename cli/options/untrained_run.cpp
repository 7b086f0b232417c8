#include "untrained_run.hpp"
#include "../../train/runs/provenance.hpp"
#include "config_file.hpp"

namespace tapehead {

RunFolder write_run(const UntrainedRun& run, const Registry& registry,
                    const std::function<void(const RunFolder&)>& add) {
  RunFolder folder = RunFolder::create(run.config.out);
  try {
    folder.write_config(to_toml(run.config, registry));
    folder.record(deciding_toml(run.config, registry), run.data);
    SaveOptions options;
    options.best = true;
    folder.save(run.model, run.optimizer, run.steps, options);
    Json session = begin_session(registry);
    if (!run.origin.empty()) session["weights"] = run.origin;
    append_session(folder.path(), session, run.steps);
    if (add) add(folder);
  } catch (...) {
    folder.abandon();
    throw;
  }
  return folder;
}

}  // namespace tapehead
