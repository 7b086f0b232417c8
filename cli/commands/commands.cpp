#include "commands.hpp"
#include "../attention/model_maps.hpp"
#include "../extensions.hpp"

#include <algorithm>

namespace tapehead {

std::vector<TaskEntry> tasks_called(const Session& session) {
  const auto& all = session.registry.tasks();
  const auto called = std::find_if(
      all.begin(), all.end(), [&](const TaskEntry& entry) { return entry.name == session.task; });
  return called != all.end() ? std::vector<TaskEntry>{*called} : all;
}

std::vector<CommandEntry> all_commands(const Registry& registry) {
  CommandEntry attention{"attention", add_attention_command, "see what it learned:"};
  attention.shows = shows_attention;
  std::vector<CommandEntry> all = {
      {"train", add_train_command},
      {"eval", add_eval_command},
      {"sample", add_sample_command, "sample from it:"},
      attention,
      {"tasks", add_list_commands},
      {"digest", add_digest_command},
      {"bench", add_bench_command},
  };
  if (!registry.extensions<ExportFormat>().empty()) all.push_back({"export", add_export_command});
  const auto& others = registry.extensions<CommandEntry>();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace tapehead
