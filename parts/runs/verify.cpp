// The command `verify`.
#include "../../cli/terminal/output.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/provenance.hpp"
#include "commands.hpp"
#include "verification.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

std::string shown(const Json& value) {
  if (value.is_null()) return "nothing";
  return value.string().empty() ? to_text(value) : visible(value.string());
}

/// Formats a list of steps as `2, 4 to 8 and 11`.
std::string ranges(const std::vector<Index>& steps) {
  std::vector<std::string> texts;
  for (std::size_t i = 0, end = 0; i < steps.size(); i = end) {
    for (end = i + 1; end < steps.size() && steps[end] == steps[end - 1] + 1;) ++end;
    texts.push_back(end - i == 1 ? fmt::format("{}", steps[i])
                                 : fmt::format("{} to {}", steps[i], steps[end - 1]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Describes missing lines, damaged checkpoints and different weights, but not different metrics.
std::string faults_text(const Verification& found, int width) {
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped(line, width); };
  for (const Digests& each : found.checkpoints)
    if (!each.same())
      add(fmt::format("the weights of step {} differ: checkpoint {}, {} again {}", each.step,
                      each.recorded, each.step == 0 ? found.origin : "trained", each.again));
  if (!found.damaged.empty()) add("not compared: " + visible(found.damaged));
  if (!found.missing.empty())
    add(fmt::format("not compared: metrics.jsonl has no line for {} {}",
                    found.missing.size() == 1 ? "step" : "steps", ranges(found.missing)));
  return text;
}

std::string to_text(const Verification& found, const Session& session) {
  Table table({Table::Align::right, Table::Align::left, Table::Align::left});
  table.add({"step", "recorded digest", "trained again"});
  for (const Digests& one : found.evaluations)
    table.add({fmt::format("{}", one.step), visible(one.recorded),
               one.same() ? "=" : visible(one.again)});
  std::string text;
  for (const Json& each : found.sessions)
    text += wrapped(session_text(each), session.terminal.width);
  if (!found.evaluations.empty()) text += table.text(session.terminal.width) + "\n";
  if (found.interrupted)
    return text + fmt::format("interrupted; no difference up to step {}\n", found.steps);
  if (found.agrees() && found.steps == 0)
    return text + wrapped(session.terminal.width,
                          "{} is reproducible: {} again, the weights have the digest {}",
                          visible(found.run), found.origin, found.checkpoints[0].again);
  if (found.agrees())
    return text + wrapped(session.terminal.width,
                          "{} is reproducible: {}, {} and all metrics to step {} agree",
                          visible(found.run), plural(found.checkpoints.size(), "checkpoint"),
                          plural(found.evaluations.size(), "digest"), found.steps);
  text += faults_text(found, session.terminal.width);
  if (found.first_step < 0) return text;
  const ComparedMetrics::Different& first = found.first.front();
  text += fmt::format("differs at step {}: {}\n  recorded       {}\n  trained again  {}\n",
                      found.first_step, visible(first.name), shown(first.a), shown(first.b));
  if (found.first.size() > 1)
    text += fmt::format("  {} more {}\n", found.first.size() - 1,
                        found.first.size() == 2 ? "metric differs" : "metrics differ");
  return text;
}

Json to_json(const std::vector<Digests>& all, const char* recorded) {
  Json list = Json::array();
  for (const Digests& each : all)
    list.push_back({{"step", each.step},
                    {recorded, each.recorded},
                    {"again", each.again},
                    {"agrees", each.same()}});
  return list;
}

Json to_json(const Verification& found) {
  Json first;
  if (found.first_step >= 0) {
    Json differing = Json::array();
    for (const ComparedMetrics::Different& one : found.first)
      differing.push_back({{"name", one.name}, {"recorded", one.a}, {"again", one.b}});
    first = {{"step", found.first_step}, {"differing", std::move(differing)}};
  }
  return {{"run", found.run},
          {"sessions", Json(found.sessions)},
          {"agrees", found.agrees()},
          {"interrupted", found.interrupted},
          {"steps", found.steps},
          {"evaluations", to_json(found.evaluations, "recorded")},
          {"checkpoints", to_json(found.checkpoints, "there")},
          {"missing", Json(found.missing)},
          {"damaged", found.damaged},
          {"first", std::move(first)}};
}

}  // namespace

void add_verify_command(const Command& app, Session& session) {
  const Command command = app.add("verify", "check that a run is reproducible: train it again");
  const auto a = std::make_shared<VerifyArguments>();
  command.positional("RUN", a->run, "run folder, which isn't changed");
  const CommandOption steps =
      command.option("--steps", a->steps, "number of steps to verify [all]");
  command.option("--data", "FILE", a->data, "path of the training data, if it has moved");
  add_json(command, a->json);
  command.footer(
      "Stops at the first step that differs. Exit status 1: something differs, lines of metrics "
      "are "
      "missing, or a checkpoint is damaged. Exit status 2: the run can't be reproduced because of "
      "other numerics or changed data.");
  command.on_run([=, &session] {
    if (steps.given() && a->steps < 1)
      throw UsageError("--steps must be at least 1, got {}", a->steps);
    const WriteSignalGuard closed_pipe(WriteSignalGuard::To::pipe);
    const StopSignals signals;
    const Verification found = verify_run(*a, session, signals.stop);
    session.status = found.interrupted ? StopSignals::status : !found.agrees();
    a->json ? print_json(to_json(found)) : put("{}", to_text(found, session));
  });
}

}  // namespace tapehead
