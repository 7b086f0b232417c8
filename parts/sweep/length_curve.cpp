#include "length_curve.hpp"
#include "../../cli/commands/lengths.hpp"
#include "../../train/config/length_options.hpp"
#include "../../train/data/mixed_lengths.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index examples_per_length = 100;

/// Returns the finite numbers of a list of `count` numbers.
std::vector<double> numbers_in(const Json& list, std::size_t count) {
  std::vector<double> numbers;
  for (const Json& each : list.items()) numbers.push_back(each.number());
  const bool are_finite = all_of(numbers, [](double number) { return std::isfinite(number); });
  if (numbers.size() != count || !are_finite) throw Error("a damaged curve by length");
  return numbers;
}

}  // namespace

LengthCurve length_curve(const std::string& path, const std::string& lengths,
                         const Registry& registry, const std::string& option) {
  constexpr std::size_t most = 20;
  const std::string given = option + " " + lengths;
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
       evaluate_lengths(run, asked.empty() ? some_lengths(trained.lengths, most) : asked,
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
  if (curve.empty()) return {};
  Json json = {{"option", curve.option},
               {"quantity", curve.quantity},
               {"trained", curve.trained},
               {"lengths", curve.lengths},
               {"values", curve.values}};
  if (!curve.low.empty()) json["low"] = curve.low;
  if (!curve.high.empty()) json["high"] = curve.high;
  Json of_runs = Json::array();
  for (const std::vector<double>& run : curve.of_runs) of_runs.push_back(run);
  if (!curve.of_runs.empty()) json["of_runs"] = std::move(of_runs);
  return json;
}

LengthCurve parse_length_curve(const Json& json) {
  LengthCurve curve;
  if (json.is_null()) return curve;
  curve.option = json["option"].string();
  curve.quantity = json["quantity"].string();
  curve.trained = json["trained"].number();
  const std::size_t count = json["lengths"].items().size();
  curve.lengths = numbers_in(json["lengths"], count);
  curve.values = numbers_in(json["values"], count);
  if (!json["low"].is_null()) curve.low = numbers_in(json["low"], count);
  if (!json["high"].is_null()) curve.high = numbers_in(json["high"], count);
  if (!json["of_runs"].is_null())
    for (const Json& run : json["of_runs"].items()) curve.of_runs.push_back(numbers_in(run, count));
  return curve;
}

LengthCurve mean_curve(const std::vector<LengthCurve>& runs) {
  LengthCurve mean = runs.at(0);
  if (runs.size() == 1) return mean;
  for (const LengthCurve& run : runs) mean.of_runs.push_back(run.values);
  mean.low = mean.high = mean.values;
  for (std::size_t i = 0; i < mean.values.size(); ++i) {
    std::vector<double> values;
    for (const LengthCurve& run : runs) values.push_back(run.values.at(i));
    const Mean over_runs = mean_of(values);
    mean.values[i] = over_runs.mean;
    mean.low[i] = std::max(over_runs.mean - over_runs.margin, 0.0);
    mean.high[i] = std::min(over_runs.mean + over_runs.margin, 1.0);
  }
  return mean;
}

}  // namespace tapehead
