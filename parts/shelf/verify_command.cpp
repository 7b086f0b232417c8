#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/progress.hpp"
#include "../../core/system/signals.hpp"
#include "command.hpp"
#include "verify.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

std::string shown(const Json& value) {
  if (value.is_null()) return "nothing";
  return value.string().empty() ? to_text(value) : visible(value.string());
}

/// `2, 4 to 8 and 11`
std::string ranges(const std::vector<Index>& steps) {
  std::vector<std::string> texts;
  for (std::size_t i = 0, end = 0; i < steps.size(); i = end) {
    for (end = i + 1; end < steps.size() && steps[end] == steps[end - 1] + 1;) ++end;
    texts.push_back(end - i == 1 ? fmt::format("{}", steps[i])
                                 : fmt::format("{} to {}", steps[i], steps[end - 1]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What wasn't compared, or isn't the same, apart from the lines of metrics.
std::string faults_text(const Verification& found, int width) {
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped(line, width); };
  for (const Verification::Weights& each : found.checkpoints)
    if (!each.same())
      add(fmt::format("the weights of step {} differ: the checkpoint has {}, again {}", each.step,
                      each.there, each.again));
  if (!found.damaged.empty()) add("not compared: " + visible(found.damaged));
  if (!found.missing.empty())
    add(fmt::format("not compared: metrics.jsonl has no line of {} {}",
                    found.missing.size() == 1 ? "step" : "the steps", ranges(found.missing)));
  return text;
}

std::string to_text(const Verification& found, const Session& session) {
  Table table({Table::Align::right, Table::Align::left, Table::Align::left});
  table.add({"step", "digest recorded", "again"});
  for (const Verification::Evaluated& one : found.evaluations)
    table.add({fmt::format("{}", one.step), visible(one.recorded),
               one.again == one.recorded ? "=" : visible(one.again)});
  std::string text = found.evaluations.empty() ? "" : table.text(session.terminal.width) + "\n";
  if (found.interrupted)
    return text + fmt::format("interrupted; nothing differs to step {}\n", found.steps);
  if (found.agrees())
    return text +
           wrapped(fmt::format("{} came out the same: {}, {} and all metrics to step {}",
                               visible(found.run), plural(found.checkpoints.size(), "checkpoint"),
                               plural(found.evaluations.size(), "digest"), found.steps),
                   session.terminal.width);
  text += faults_text(found, session.terminal.width);
  if (found.first_step < 0) return text;
  const ComparedMetrics::Different& first = found.first.front();
  text += fmt::format("it differs at step {}: {}\n  recorded  {}\n  again     {}\n",
                      found.first_step, visible(first.name), shown(first.a), shown(first.b));
  if (found.first.size() > 1) text += fmt::format("  and so do {} more\n", found.first.size() - 1);
  return text;
}

Json to_json(const Verification& found) {
  Json evaluations = Json::array(), first;
  for (const Verification::Evaluated& one : found.evaluations)
    evaluations.push_back({{"step", one.step},
                           {"recorded", one.recorded},
                           {"again", one.again},
                           {"agrees", one.again == one.recorded}});
  Json checkpoints = Json::array();
  for (const Verification::Weights& each : found.checkpoints)
    checkpoints.push_back({{"step", each.step},
                           {"there", each.there},
                           {"again", each.again},
                           {"agrees", each.same()}});
  if (found.first_step >= 0) {
    Json differing = Json::array();
    for (const ComparedMetrics::Different& one : found.first)
      differing.push_back({{"name", one.name}, {"recorded", one.a}, {"again", one.b}});
    first = {{"step", found.first_step}, {"differing", std::move(differing)}};
  }
  return {{"run", found.run},
          {"agrees", found.agrees()},
          {"interrupted", found.interrupted},
          {"steps", found.steps},
          {"evaluations", std::move(evaluations)},
          {"checkpoints", std::move(checkpoints)},
          {"missing", Json(found.missing)},
          {"damaged", found.damaged},
          {"first", std::move(first)}};
}

}  // namespace

void add_verify_command(const Command& app, Session& session) {
  struct Arguments {
    std::string run, data;
    Index steps = 0;
    bool json = false;
  };
  const Command command = app.add("verify", "train a run again, and say whether it is the same");
  const auto a = std::make_shared<Arguments>();
  command.positional("RUN", a->run, "folder of the run, which isn't changed");
  const Option steps =
      command.option("--steps", a->steps, "verify only so many of its steps [all]");
  command.option("--data", "FILE", a->data, "where the file that it was trained on is now");
  add_json(command, a->json);
  command.footer(
      "Ends at the first step that differs. Status 1: something differs, lines of metrics are "
      "missing, or a checkpoint is damaged. Status 2: the run can't be expected to be the same: "
      "another version, changed data, another processor for bf16.");
  command.on_run([=, &session] {
    if (steps.given() && a->steps < 1)
      throw UsageError("--steps must be at least 1, not {}", a->steps);
    const FailedWrites closed_pipe(FailedWrites::To::pipe);
    const StopSignals signals;
    const auto observer = [&](const Task& task) -> std::unique_ptr<TrainObserver> {
      if (a->json || !session.terminal.live) return std::make_unique<TrainObserver>();
      return std::make_unique<Progress>(session.terminal, task, Shown{0});
    };
    const Verification found =
        verify_run(a->run, a->steps, a->data, session.registry, observer, signals.stop);
    session.status = found.interrupted ? StopSignals::status : !found.agrees();
    a->json ? print_json(to_json(found)) : put("{}", to_text(found, session));
  });
}

}  // namespace tapehead
