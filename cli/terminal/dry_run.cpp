#include "dry_run.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

/// Formats 19300 MB as 19.3 GB.
std::string scaled(double number, const char* unit) {
  char prefix = 'M';
  number *= 1e-6;
  for (const char larger : {'G', 'T', 'P', 'E'}) {
    if (number < 1000) break;
    number /= 1000;
    prefix = larger;
  }
  return fmt::format("{:.1f} {}{}", number, prefix, unit);
}
std::string size(double bytes) { return scaled(bytes, "B"); }

/// Formats a time, with three digits if it is short.
std::string time(double seconds) {
  return seconds < 0.1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : duration(seconds);
}

}  // namespace

std::string to_text(const DryRun& run, const Terminal& terminal) {
  constexpr auto left = Table::Align::left;
  Table table({left, left});
  const bool all = run.trained == run.parameters;
  table.add({"parameters", all ? grouped(run.parameters)
                               : fmt::format("{}, of which {} are trained", grouped(run.parameters),
                                             grouped(run.trained))});
  table.add({"weights", size(run.need.weights)});
  table.add({"optimizer", size(run.need.optimizer)});
  if (run.need.average > 0) table.add({"average", size(run.need.average)});
  if (run.need.data > 0) table.add({"data", size(run.need.data)});
  const bool timed = run.step_seconds > 0;
  table.add(
      {"a step", fmt::format("{}{} of gradients and activations",
                             timed ? time(run.step_seconds) + ", " : "", size(run.need.step))});
  if (timed) table.add({"an evaluation", time(run.evaluation_seconds)});
  const std::string steps = grouped(run.steps, "step"),
                    evaluations = grouped(run.evaluations, "evaluation");
  table.add({"all", timed ? fmt::format("{} and {} in about {}", steps, evaluations,
                                        duration(run.seconds()))
                          : fmt::format("{} of {} and {}, too large to be timed", steps,
                                        scaled(run.step_flops, "FLOP"), evaluations)});
  table.add({"memory", fmt::format("about {}", size(run.need.total()))});
  return run.tree + '\n' + table.text(terminal.width) + "dry run: nothing was written\n";
}

}  // namespace tapehead
