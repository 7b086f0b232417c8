#include "commands.hpp"
#include "../attention/model_maps.hpp"
#include "../extensions.hpp"

namespace tapehead {

std::vector<TaskEntry> tasks_called(const Session& session) {
  const auto& all = session.registry.tasks();
  const auto called = find_named(all, session.task);
  return called != all.end() ? std::vector<TaskEntry>{*called} : all;
}

std::vector<CommandEntry> all_commands(const Registry& registry) {
  CommandEntry attention{"attention", add_attention_command, "see what it learned:"};
  attention.shows = shows_attention;
  attention.group = "Inspect";
  std::vector<CommandEntry> all = {
      CommandEntry{"train", add_train_command}.in("Train"),
      CommandEntry{"eval", add_eval_command}.in("Evaluate"),
      CommandEntry{"sample", add_sample_command, "sample from it:"}.in("Evaluate"),
      attention,
      CommandEntry{"tasks", add_list_commands}.in("Learn"),
      CommandEntry{"digest", add_digest_command}.in("Check"),
      CommandEntry{"bench", add_bench_command}.in("Check"),
  };
  if (!registry.extensions<ExportFormat>().empty())
    all.push_back(CommandEntry{"export", add_export_command}.in("Manage"));
  const auto& others = registry.extensions<CommandEntry>();
  append(all, others);
  return all;
}

}  // namespace tapehead
