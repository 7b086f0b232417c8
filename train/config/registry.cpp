#include "../tasks/tasks.hpp"
#include "goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tapehead {
namespace {

template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

void refuse_taken(const char* what, const std::string& name,
                  const std::vector<std::string>& names) {
  if (std::count(names.begin(), names.end(), name) > 0)
    throw ValueError("registry: {} '{}' is there already", what, name);
}

std::size_t difference(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

/// The number of letters to insert, delete, replace or swap with their neighbour (Damerau's edit
/// distance), ignoring case.
std::size_t distance(const std::string& a, const std::string& b) {
  const auto letter = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      d[i][j] = std::max(i, j);
      if (i == 0 || j == 0) continue;
      const auto same = [&](std::size_t x, std::size_t y) { return letter(a[x]) == letter(b[y]); };
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

Registry Registry::standard() {
  Registry registry;
  registry.task(copy_task());
  registry.task(reverse_task());
  registry.task(sort_task());
  registry.task(add_task());
  registry.task(induction_task());
  registry.task(majority_task());
  registry.task(recall_task());
  registry.task(select_task());
  registry.task(modular_task());
  registry.task(translate_task());
  registry.task(dyck_task());
  registry.task(parity_task());
  registry.task(text_task());
  registry.task(lines_task());
  registry.task(names_task());
  for (LayerEntry& entry : layer_catalog()) registry.layer(std::move(entry));
  registry.attentions_.emplace_back("standard", nullptr);  // a block makes this one itself
  return registry;
}

void Registry::task(TaskEntry entry) {
  refuse_taken("task", entry.name, names_of(tasks_));
  entry.recipe.task = entry.name;
  entry.make = [make = entry.make, known = entry.options](const TaskOptions& options) {
    return make(completed(options, known));
  };
  tasks_.push_back(std::move(entry));
}

void Registry::layer(LayerEntry entry) {
  refuse_taken("layer", entry.name, names_of(layers_));
  layers_.push_back(std::move(entry));
}

void Registry::attention(const std::string& name, MakeAttention make) {
  refuse_taken("attention", name, attention_names());
  ModelOptions options;
  options.vocabulary = options.context = 5;
  options.heads = 2;
  options.width = 8;
  options.dtype = DType::f64;
  LayerEntry entry{name, "attention of a program's own", [make, options] { return make(options); },
                   normal_sample({2, options.context, options.width}, 1)};
  entry.causal = entry.keeps_shape = true;
  layer(std::move(entry));
  attentions_.emplace_back(name, std::move(make));
}

const TaskEntry& Registry::find_task(const std::string& name) const {
  for (const TaskEntry& entry : tasks_)
    if (entry.name == name) return entry;
  refuse_unknown("task", name, names_of(tasks_));
}

const Registry::MakeAttention& Registry::find_attention(const std::string& name) const {
  for (const auto& [known, make] : attentions_)
    if (known == name) return make;
  refuse_unknown("--attention", name, attention_names());
}

std::vector<std::string> Registry::attention_names() const {
  std::vector<std::string> names;
  for (const auto& [name, make] : attentions_) names.push_back(name);
  return names;
}

std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry) {
  auto task = registry.find_task(config.task).make(config.task_options);
  for (const auto& [name, value] : task->found()) config.task_options[name] = value;
  if (const auto goal = Goal::parse(config.until);
      goal && goal->exact_match && !task->has_answers())
    throw UsageError("--until {}: {} has no answers to match; end it by loss=X", config.until,
                     config.task);
  return task;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : known) {
    // Their distance is at least this, and takes long to find for a word that is.
    if (difference(word.size(), candidate.size()) >= least) continue;
    if (const std::size_t d = distance(word, candidate); d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

void refuse_unknown(const std::string& what, const std::string& word,
                    const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  if (!near.empty()) throw UsageError("unknown {} '{}'; did you mean '{}'?", what, word, near);
  if (known.empty()) throw UsageError("unknown {} '{}'; there are none", what, word);
  throw UsageError("unknown {} '{}'; there {} {}", what, word, known.size() == 1 ? "is" : "are",
                   fmt::join(known, ", "));
}

TaskOptions completed(TaskOptions given, const std::vector<TaskOption>& options) {
  std::vector<std::string> known;
  for (const TaskOption& option : options) {
    known.push_back("--" + option.name);
    given.try_emplace(option.name, option.value);
  }
  for (const auto& [name, value] : given)
    if (std::count(known.begin(), known.end(), "--" + name) == 0)
      refuse_unknown("option", "--" + name, known);
  return given;
}

}  // namespace tapehead
