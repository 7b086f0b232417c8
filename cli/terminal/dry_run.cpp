#include "dry_run.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

std::string megabytes(std::size_t bytes) {
  return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
}

/// Short times have three digits.
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
  table.add({"weights", megabytes(run.weights)});
  table.add({"optimizer", megabytes(run.optimizer)});
  if (run.average > 0) table.add({"average", megabytes(run.average)});
  table.add({"a step", fmt::format("{}, {} of tensors at most", time(run.step_seconds),
                                   megabytes(run.step_peak))});
  table.add({"an evaluation", fmt::format("{}, {} of tensors at most", time(run.evaluation_seconds),
                                          megabytes(run.evaluation_peak))});
  table.add({"all", fmt::format("{} steps and {} evaluations in about {}", grouped(run.steps),
                                grouped(run.evaluations), duration(run.seconds()))});
  return run.tree + '\n' + table.text(terminal.width) + "nothing was written\n";
}

}  // namespace tapehead
