#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/illustration.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../explain/explanation.hpp"
#include "../explain/pass.hpp"
#include "attention/attention.hpp"
#include "explain/page.hpp"
#include "report/page.hpp"

namespace tapehead {
namespace {

/// Returns the page of `explain` for a run, at the loaded checkpoint or at all saved checkpoints.
std::string pages_of_run(const ExplainFormat::OfRun& shown) {
  const auto load = [&](const SavedStep& saved) {
    LoadedRun run = shown.load();
    if (!saved.folder.empty()) run.steps = read_checkpoint(saved.folder, *run.model->module, {});
    return run;
  };
  std::vector<SavedStep> saved = {{"", shown.run.steps}};
  if (shown.all_checkpoints) {
    const LoadedRun run = shown.load();
    saved = saved_steps(RunFolder::open(shown.folder), *run.model->module);
  }
  return run_page(shown.title, shown.example, saved, load);
}

}  // namespace

/// Registers the command `report`, and the output formats of `attention`, `explain` and `sweep`.
void add_pages(Registry& registry) {
  registry.extend(CommandEntry{"report", add_report_command,
                               "read how it went:", CommandEntry::Dashes::end_options,
                               /*needs_tokens=*/false, "--watch"}
                      .in("Evaluate"));
  registry.extend(AttentionFormat{"svg", "svg", [](const AttentionFormat::Shown& shown) {
                                    return attention_svg(shown.maps, shown.title);
                                  }});
  registry.extend(AttentionFormat{
      "html", "html", [](const AttentionFormat::Shown& shown) {
        return attention_page(shown.maps, shown.title,
                              overlay_json(*shown.run.model, *shown.run.task, shown.example));
      }});
  registry.extend(ExplainFormat{"html", "a page", expression_page, pages_of_run});
  registry.extend(ExplainFormat{
      "svg", "a picture of the graph",
      [](const Explanation& explanation) { return graph_svg(explanation, explanation.expression); },
      [](const ExplainFormat::OfRun& shown) {
        return graph_svg(explain_pass(shown.run, shown.example), shown.title);
      }});
  registry.extend(SweepFile{
      "report.html", "a page", sweep_page, [](const std::string& run, const Session& session) {
        ReportBudget budget;
        budget.graph = true;
        return report_page(Json::array({run_json(run, session.registry, session.program, budget)}));
      }});
}

}  // namespace tapehead
