#include "checkpoints.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/step/not_finite.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace tapehead {
namespace {

CheckpointRecord record_of(const RunFolder& run, const std::string& folder) {
  return folder.empty() ? run.last_record() : read_record(folder);
}

struct Kept {
  std::string folder, digest, recorded;  // `recorded` is empty if it equals `digest`
};

/// Returns the newest checkpoint of each step in a run. Skips damaged checkpoints.
std::map<Index, Kept> kept_by(const RunFolder& run) {
  std::map<Index, Kept> all;
  if (!run.has_checkpoint()) return all;
  const auto add = [&](const std::string& folder) {
    const CheckpointRecord record = record_of(run, folder);
    const std::string computed = digest(record.weights);
    all.emplace(record.steps,
                Kept{folder, computed, record.digest == computed ? "" : record.digest});
  };
  for (const StepFolder& step : step_folders(run.path())) try {
      add(run.path() + "/" + step.name());
    } catch (const SystemError&) {
      throw;
    } catch (const FileError&) {  // opening the run reports damaged checkpoints
    }
  if (all.empty()) add("");
  return all;
}

/// Formats `  only in A: x, y and 3 more`; returns an empty text if there are no names.
std::string few_text(const char* what, std::vector<std::string> names, int width) {
  constexpr std::size_t most = 4;
  if (names.empty()) return "";
  const std::size_t more = names.size() > most ? names.size() - most : 0;
  names.resize(names.size() - more);
  std::string text = fmt::format("{}: {}", what, fmt::join(names, ", "));
  if (more > 0) text += fmt::format(" and {} more", more);
  return wrapped(text, width, 2);
}

}  // namespace

std::vector<CheckpointPair> common_checkpoints(const RunFolder& a, const RunFolder& b) {
  const std::map<Index, Kept> all_a = kept_by(a), all_b = kept_by(b);
  std::vector<CheckpointPair> pairs;
  if (all_a.empty() || all_b.empty()) return pairs;
  const auto add = [&](const auto& one, const auto& other) {
    pairs.push_back({one.first, other.first, one.second.folder, other.second.folder,
                     one.second.digest, other.second.digest, one.second.recorded,
                     other.second.recorded});
  };
  for (const auto& one : all_a)
    if (const auto other = all_b.find(one.first); other != all_b.end()) add(one, *other);
  if (pairs.empty()) add(*all_a.rbegin(), *all_b.rbegin());
  return pairs;
}

namespace {

/// Compares two weights like difference_of, but also distinguishes NaNs with different bits.
TensorDifference weights_difference(const Tensor& a, const Tensor& b) {
  TensorDifference found = difference_of(a, b);
  const std::string_view left = a.bytes(), right = b.bytes();
  if (!found.same() || left == right) return found;
  const std::size_t size = left.size() / static_cast<std::size_t>(a.size());
  for (std::size_t at = 0; at < left.size(); at += size) {
    if (left.substr(at, size) == right.substr(at, size)) continue;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (found.differing++ == 0)
      found.first = found.largest = {static_cast<Index>(at / size), nan, nan, std::nullopt};
  }
  found.ulps = std::nullopt;
  found.relative = std::numeric_limits<double>::quiet_NaN();
  return found;
}

/// Returns texts such as `embedding (nan)`, one for each tensor that isn't finite.
std::vector<std::string> not_finite_of(const std::map<std::string, Tensor>& weights) {
  std::vector<std::string> names;
  for (const auto& [name, x] : weights)
    if (const std::string what = non_finite_kind(x); !what.empty())
      names.push_back(fmt::format("{} ({})", name, what));
  return names;
}

}  // namespace

bool ComparedWeights::same() const {
  return only_a.empty() && only_b.empty() &&
         all_of(common, [](const auto& each) { return each.second.same(); });
}

ComparedWeights compare_weights(const std::map<std::string, Tensor>& a,
                                const std::map<std::string, Tensor>& b) {
  ComparedWeights weights;
  for (const auto& [name, x] : a) {
    if (const auto other = b.find(name); other != b.end())
      weights.common.emplace(name, weights_difference(x, other->second));
    else
      weights.only_a.push_back(name);
  }
  for (const auto& [name, x] : b)
    if (a.count(name) == 0) weights.only_b.push_back(name);
  weights.not_finite_a = not_finite_of(a);
  weights.not_finite_b = not_finite_of(b);
  return weights;
}

ComparedWeights compare_weights(const RunFolder& a, const RunFolder& b,
                                const CheckpointPair& pair) {
  return compare_weights(record_of(a, pair.folder_a).weights, record_of(b, pair.folder_b).weights);
}

std::string not_finite_text(const ComparedWeights& weights, int width) {
  return few_text("not finite in A", weights.not_finite_a, width) +
         few_text("not finite in B", weights.not_finite_b, width);
}

std::string to_text(const ComparedWeights& weights, int width) {
  constexpr std::size_t most = 8;
  std::vector<std::pair<std::string, TensorDifference>> all;
  std::vector<std::string> shapes;
  std::size_t same = 0;
  std::string text;
  for (const auto& [name, difference] : weights.common) {
    if (difference.same())
      ++same;
    else if (difference.same_shape())
      all.emplace_back(name, difference);
    else
      shapes.push_back(fmt::format("{} {} | {}", name, difference.a, difference.b));
  }
  for (const auto& [what, names] : {std::pair("different shapes in A | B", shapes),
                                    {"only in A", weights.only_a},
                                    {"only in B", weights.only_b}})
    text += few_text(what, names, width);
  if (all.empty()) return text;
  std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) {
    return one.second.relative > other.second.relative;
  });
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({left, right, right, left, right});
  table.add({"weights", "differing", "largest", "", "|A - B| / |A|"});
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    const auto& [name, found] = all[i];
    const double share = static_cast<double>(found.differing) /
                         static_cast<double>(std::max<Index>(found.a.size(), 1));
    table.add({name, percent(share),
               fmt::format("{:.2g}", std::abs(found.largest.a - found.largest.b)),
               "at " + element_text("", found.a, found.largest.element),
               fmt::format("{:.2g}", found.relative)});
  }
  text += table.text(width, 2);
  if (all.size() > most) text += fmt::format("  and {} more\n", all.size() - most);
  if (same > 0) text += fmt::format("  {} equal\n", plural(same, "tensor"));
  return text;
}

Json to_json(const ComparedWeights& weights) {
  Json common = Json::array();
  for (const auto& [name, difference] : weights.common) {
    common.push_back({{"name", name}, {"difference", to_json(difference)}});
  }
  return {{"common", std::move(common)},
          {"only_a", Json(weights.only_a)},
          {"only_b", Json(weights.only_b)},
          {"not_finite_a", Json(weights.not_finite_a)},
          {"not_finite_b", Json(weights.not_finite_b)}};
}

}  // namespace tapehead
