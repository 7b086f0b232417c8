#include "maps.hpp"
#include "../../../cli/attention/heads.hpp"
#include "../../../cli/attention/map_json.hpp"
#include "../../../cli/attention/model_maps.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../cli/terminal/illustration.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/runs/checkpoint.hpp"
#include "../../../train/runs/step_folders.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

constexpr Index most_examples = 4;
constexpr Index most_tokens = 96;  // maximum number of tokens of a GPT's example
constexpr Index glance = 32;       // maximum number of tokens of a plain text

/// Returns a validation example, for a GPT shortened to the tokens that are shown.
Example shown_example(const TaskModel& model, const Task& task, Index number) {
  Example example = held_out_example(task, number);
  if (model.arch != "gpt") return example;
  const Index most = (task.has_answers() ? most_tokens : glance) + 1;
  if (static_cast<Index>(example.tokens.size()) > most) example.tokens.resize(most);
  example.question = std::min(example.question, static_cast<Index>(example.tokens.size()));
  return example;
}

/// Returns `count` evenly spaced checkpoints, including the last, and also the best.
std::vector<SavedStep> select_steps(const std::vector<SavedStep>& saved, Index best_step,
                                    Index count) {
  const auto all = static_cast<Index>(saved.size());
  std::vector<SavedStep> result;
  for (Index i = 0; i < all; ++i) {
    const SavedStep& one = saved[i];
    const bool even = (i + 1) * count / all != i * count / all;  // always true for the last
    if (even || one.step == best_step) result.push_back(one);
  }
  return result;
}

/// The checkpoints' steps, with the readings of all heads.
using Readings = std::vector<std::pair<Index, std::vector<HeadReading>>>;

/// Returns one curve for each pattern that a head follows at the last checkpoint: the head's weight
/// on the pattern's keys, by checkpoint.
Json pattern_curves(const Readings& readings) {
  Json curves = Json::array();
  if (readings.size() < 2) return curves;
  const std::vector<HeadReading>& last = readings.back().second;
  for (std::size_t i = 0; i < last.size(); ++i)
    for (const Pattern& pattern : last[i].patterns) {
      Json steps = Json::array(), values = Json::array();
      for (const auto& [step, heads] : readings) {
        steps.push_back(step);
        values.push_back(heads[i].tally.weight(pattern));
      }
      const std::string name =
          fmt::format("head {}.{}: {}", last[i].layer, last[i].head, pattern.title());
      curves.push_back({{"chart", "Weight on each head's pattern"},
                        {"unit", ""},
                        {"name", name},
                        {"key", name},
                        {"of", steps.items().size()},
                        {"steps", steps},
                        {"values", values}});
    }
  return curves;
}

}  // namespace

std::optional<Index> read_saved_step(const std::string& folder, Module& model) {
  try {
    return read_checkpoint(folder, model, nullptr);
  } catch (const SystemError&) {
    throw;
  } catch (const FileError&) {
    return {};
  }
}

std::vector<SavedStep> saved_steps(const RunFolder& folder, Module& model) {
  std::map<Index, std::string> found;
  const auto look_at = [&](const std::string& name) {
    if (const auto step = read_saved_step(folder.path() + "/" + name, model))
      if (std::string& known = found[*step]; known < name) known = name;
  };
  for (const StepFolder& step : step_folders(folder.path())) look_at(step.name());
  // In a copied run, `checkpoint` and `best` may be folders instead of links.
  for (const char* name : {"checkpoint", "best"})
    if (fs::is_directory(fs::symlink_status(folder.path() + "/" + name))) look_at(name);
  if (found.empty() && !folder.has_checkpoint()) return {};
  const Index last = folder.load(model, nullptr);  // a running training may have saved a newer one
  std::vector<SavedStep> saved;
  for (const auto& [step, name] : found)
    if (step < last) saved.push_back({folder.path() + "/" + name, step});
  saved.push_back({"", last});
  return saved;
}

std::string packed(const HeadWeights& weights) {
  std::string bytes;
  for (double weight : weights.values) {
    const long number =
        std::isnan(weight) ? 65535 : std::lround(std::clamp(weight, 0.0, 1.0) * 65534);
    bytes += static_cast<char>(number & 0xff);
    bytes += static_cast<char>(number >> 8);
  }
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      three = three << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (int digit = 3; digit >= 0; --digit) text += digits[three >> (6 * digit) & 63];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  return text.replace(text.size() - padding, padding, std::string(padding, '='));
}

Json maps_json(const TaskModel& model, const Task& task, const std::vector<SavedStep>& saved,
               Index best_step, Index budget) {
  if (saved.empty()) return nullptr;
  Json examples = Json::array();
  std::vector<Example> shown;
  Index weights = 0;  // weights of all examples at one checkpoint
  for (Index number = 0; number < std::min(most_examples, held_out_size(task)); ++number) {
    const Example example = shown_example(model, task, number);
    const std::vector<AttentionMap> maps = attention_maps(model, task, example);
    Index size = 0;
    Json layers = Json::array();
    for (const AttentionMap& map : maps) {
      size += map.weights.size();
      layers.push_back(axes_json(map));
    }
    if (maps.empty() || weights + size > budget) break;
    const bool others = number > 0;
    if (others && (weights + size) * static_cast<Index>(saved.size()) > budget) break;
    weights += size;
    shown.push_back(example);
    const std::vector<int> named = task.illustration() ? answer_of(example) : example.tokens;
    examples.push_back({{"text", visible(task.show(named))},
                        {"layers", layers},
                        {"image", overlay_json(model, task, example)}});
  }
  if (shown.empty()) return nullptr;
  Json checkpoints = Json::array();
  Readings readings;
  const auto all = static_cast<Index>(saved.size());
  const Index count = std::max<Index>(std::min(budget / weights, all), 1);
  std::vector<std::pair<Parameter*, Tensor>> last;  // weights of the last checkpoint
  for (Parameter* p : parameters(*model.module)) last.emplace_back(p, p->value());
  for (const SavedStep& one : select_steps(saved, best_step, count)) {
    if (one.step == saved.back().step)
      for (auto& [parameter, value] : last) parameter->set(value);
    else if (!read_saved_step(one.folder, *model.module))
      continue;
    const std::vector<HeadReading>& heads =
        readings.emplace_back(one.step, read_heads(model, task)).second;
    Json seen = Json::array();
    for (const Example& example : shown) {
      std::vector<AttentionMap> maps = attention_maps(model, task, example);
      set_patterns(maps, heads);
      Json layers = Json::array();
      for (const AttentionMap& map : maps) layers.push_back(heads_json(map, packed));
      seen.push_back(std::move(layers));
    }
    checkpoints.push_back({{"step", one.step},
                           {"best", one.step == best_step},
                           {"last", one.step == saved.back().step},
                           {"examples", std::move(seen)}});
  }
  return {{"examples", std::move(examples)},
          {"checkpoints", std::move(checkpoints)},
          {"rules", pattern_curves(readings)}};
}

}  // namespace tapehead
