#include "axes.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "../../core/random.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tapehead {
namespace {

bool is_whole(const std::string& text) {
  return text.find_first_not_of("-0123456789") == std::string::npos;
}

std::string draw(const Axis& axis, Random& random) {
  if (!axis.range) {
    const Index at = random.below(static_cast<Index>(axis.values.size()));
    return axis.values[static_cast<std::size_t>(at)];
  }
  const auto& [low, high, log, whole] = *axis.range;
  const double share = random.uniform();
  // All integers are equally likely: each has an interval that ends at the next integer.
  const double end = whole ? high + 1 : high;
  const double drawn = log ? low * kernel::pow(end / low, share) : low + (end - low) * share;
  if (whole) return fmt::format("{:.0f}", std::min(std::floor(drawn), high));
  return fmt::format("{:.3g}", std::clamp(drawn, low, high));
}

}  // namespace

std::optional<ValueRange> parse_range(const std::string& text, const std::string& given) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return {};
  const std::string low = text.substr(0, dots);
  std::string high = text.substr(dots + 2);
  ValueRange range;
  constexpr const char* log = ":log";
  if (const auto at = high.find(':'); at != std::string::npos && high.substr(at) == log) {
    range.log = true;
    high.erase(at);
  }
  const std::optional<double> first = read_real(low), last = read_real(high);
  if (!first || !last) return {};  // no error, since a path may contain dots, too
  range.low = *first, range.high = *last;
  range.whole = is_whole(low) && is_whole(high);
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low >= range.high)
    throw UsageError("{}: a range must go from a number to a larger one", given);
  if (range.log && range.low <= 0)
    throw UsageError("{}: a range with :log must begin above 0", given);
  return range;
}

Axis parse_axis(const std::string& text) {
  const auto equals = text.find('=');
  Axis axis{text.substr(0, equals), {}};
  if (starts_with(axis.option, "--")) axis.option.erase(0, 2);
  if (equals != std::string::npos)
    for (std::size_t from = equals + 1; from <= text.size();) {
      const std::size_t end = std::min(text.find(',', from), text.size());
      axis.values.push_back(text.substr(from, end - from));
      from = end + 1;
    }
  const bool empty = std::count(axis.values.begin(), axis.values.end(), "") > 0;
  if (axis.option.empty() || axis.values.empty() || empty)
    throw UsageError("--grid: expected an option and its values, such as lr=1e-3,3e-3, got '{}'",
                     text);
  if (axis.values.size() == 1) axis.range = parse_range(axis.values[0], "--grid " + text);
  if (axis.range) axis.values.clear();
  std::set<std::string> known;
  for (const std::string& value : axis.values)
    if (!known.insert(value).second) throw UsageError("--grid {}: {} is listed twice", text, value);
  return axis;
}

std::vector<Settings> combinations(const std::vector<Axis>& axes) {
  std::vector<Settings> all = {{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : all)
      for (const std::string& value : axis.values) {
        longer.push_back(settings);
        longer.back().emplace_back(axis.option, value);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<Settings> drawn_combinations(const std::vector<Axis>& axes, Index count,
                                         std::uint64_t seed) {
  constexpr Index tries = 1000;  // maximum number of repeated combinations in a row
  std::vector<Settings> all;
  std::set<Settings> known;
  Random random({seed, Draw::sample});
  for (Index tried = 0; static_cast<Index>(all.size()) < count; ++tried) {
    if (tried == tries)
      throw UsageError("--random {}: --grid has only {}; omit --random to try all", count,
                       plural(all.size(), "combination"));
    Settings settings;
    for (const Axis& axis : axes) settings.emplace_back(axis.option, draw(axis, random));
    if (!known.insert(settings).second) continue;
    all.push_back(std::move(settings));
    tried = -1;
  }
  return all;
}

std::string run_name(const Settings& settings, std::uint64_t seed) {
  std::string name;
  for (const auto& [option, value] : settings) name += fmt::format("{}={},", option, value);
  name += fmt::format("seed={}", seed);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace tapehead
