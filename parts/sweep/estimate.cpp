#include "estimate.hpp"
#include "../../cli/terminal/progress_line.hpp"
#include "../../train/watch/dry_run.hpp"

#include <algorithm>

namespace tapehead {

double SweepEstimate::seconds() const {
  double sum = 0;
  for (const Estimate& one : combinations) {
    if (one.seconds == 0) return 0;
    sum += one.seconds;
  }
  const double each = static_cast<double>(runs) / static_cast<double>(combinations.size());
  return sum * each * share / shares.jobs;
}

SweepEstimate estimate(const std::vector<SweepRun>& runs, const std::vector<Settings>& settings,
                       const Shares& shares, Session& session) {
  SweepEstimate result{{}, runs.size(), shares};
  const std::size_t seeds = runs.size() / settings.size();
  ProgressLine line(session.terminal, "timing a few steps of each combination");
  for (std::size_t i = 0; i < settings.size(); ++i) {
    line(static_cast<double>(i) / static_cast<double>(settings.size()));
    const SweepRun& run = runs[i * seeds];
    TrainConfig config = run.config;
    if (shares.jobs > 1) config.threads = std::min(run.need.threads, shares.threads);
    const std::shared_ptr<const Task> task = make_task(config, session.registry);
    const Plan plan = make_plan(config, *task, session.registry);
    const DryRun one = rehearse(config, session.registry, plan, task);
    result.combinations.push_back({settings[i], one.parameters, one.seconds(), one.need.total()});
    result.bytes = std::max(result.bytes, one.need.total() * shares.jobs);
  }
  return result;
}

std::string to_text(const SweepEstimate& estimate, const Terminal& terminal) {
  std::vector<std::string> head;
  for (const auto& setting : estimate.combinations.at(0).settings) head.push_back(setting.first);
  head.insert(head.end(), {"parameters", "a run", "memory"});
  Table table(std::vector<Table::Align>(head.size(), Table::Align::right));
  table.add(head);
  for (const Estimate& one : estimate.combinations) {
    std::vector<std::string> cells;
    for (const auto& setting : one.settings) cells.push_back(visible(setting.second));
    cells.push_back(grouped(one.parameters));
    cells.push_back(one.seconds > 0 ? duration(one.seconds) : "–");
    cells.push_back(human(one.bytes) + "B");
    table.add(std::move(cells));
  }
  const Shares& shares = estimate.shares;
  const double seconds = estimate.seconds();
  return table.text(terminal.width) +
         wrapped(fmt::format("{}, {} at once on {} each: {}", plural(estimate.runs, "run"),
                             shares.jobs, plural(shares.threads, "thread"),
                             seconds > 0 ? "about " + duration(seconds) : "too large to be timed"),
                 terminal.width) +
         fmt::format("memory: about {}B; nothing was written\n", human(estimate.bytes));
}

Json to_json(const SweepEstimate& estimate) {
  Json all = Json::array();
  for (const Estimate& one : estimate.combinations) {
    Json settings = Json::object();
    for (const auto& [option, value] : one.settings) settings[option] = value;
    all.push_back({{"settings", std::move(settings)},
                   {"parameters", one.parameters},
                   {"seconds", one.seconds > 0 ? Json(one.seconds) : Json()},
                   {"bytes", one.bytes}});
  }
  const double seconds = estimate.seconds();
  return {{"runs", estimate.runs},
          {"jobs", estimate.shares.jobs},
          {"threads", estimate.shares.threads},
          {"seconds", seconds > 0 ? Json(seconds) : Json()},
          {"bytes", estimate.bytes},
          {"combinations", std::move(all)}};
}

}  // namespace tapehead
