#include "lengths.hpp"
#include "../../../cli/commands/lengths.hpp"
#include "../../../train/config/length_options.hpp"
#include "../../../train/data/mixed_lengths.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index examples_per_length = 100;

/// Returns about `most` evenly spaced lengths, including the first and the last.
std::vector<Index> some_of(const std::vector<Index>& lengths, std::size_t most) {
  if (lengths.size() <= most) return lengths;
  std::vector<Index> some;
  for (std::size_t i = 0; i < most; ++i)
    some.push_back(lengths[i * (lengths.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace

LengthCurve length_curve(const std::string& path, const std::string& lengths,
                         const Registry& registry) {
  constexpr std::size_t most = 20;
  const std::string given = "--lengths " + lengths;
  const std::vector<Index> asked = lengths.empty() ? std::vector<Index>() : parse_lengths(lengths);
  const TrainConfig config = trained_config(RunFolder::open(path), registry);
  if (asked.empty() && lengths_in(config.task_options).empty()) return {};
  const TrainedLengths trained = trained_lengths(config, registry, given);
  const LoadedRun run = load_run(path, registry);
  const bool has_answers = run.task->has_answers();
  LengthCurve curve{trained.option,
                    has_answers ? "Exact match by length" : "Tokens right by length",
                    static_cast<double>(trained.lengths.back()),
                    {},
                    {}};
  for (const auto& [length, result] :
       evaluate_lengths(run, asked.empty() ? some_of(trained.lengths, most) : asked,
                        examples_per_length, registry, given)) {
    curve.lengths.push_back(static_cast<double>(length));
    curve.values.push_back(has_answers ? result.exact_match : result.all_positions().share());
    if (!has_answers) continue;
    const Interval interval = exact_match_interval(result.exact_match, result.examples);
    curve.low.push_back(interval.low);
    curve.high.push_back(interval.high);
  }
  return curve;
}

Json to_json(const LengthCurve& curve) {
  if (curve.lengths.empty()) return {};
  Json json = {{"option", curve.option},
               {"quantity", curve.quantity},
               {"trained", curve.trained},
               {"lengths", curve.lengths},
               {"values", curve.values}};
  if (!curve.low.empty()) json["low"] = curve.low;
  if (!curve.high.empty()) json["high"] = curve.high;
  return json;
}

LengthCurve mean_curve(const std::vector<LengthCurve>& runs) {
  LengthCurve mean = runs.at(0);
  if (runs.size() == 1) return mean;
  mean.low = mean.high = mean.values;
  for (std::size_t i = 0; i < mean.values.size(); ++i) {
    double sum = 0;
    for (const LengthCurve& run : runs) {
      sum += run.values.at(i);
      mean.low[i] = std::min(mean.low[i], run.values[i]);
      mean.high[i] = std::max(mean.high[i], run.values[i]);
    }
    mean.values[i] = sum / static_cast<double>(runs.size());
  }
  return mean;
}

}  // namespace tapehead
