#include "heads.hpp"
#include "../../core/random.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../terminal/terminal.hpp"
#include "model_maps.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr Index repeated_sequences = 64;

/// Returns random tokens twice in a row (Olsson et al., "In-context Learning and Induction Heads").
Example read_twice(const Task& task, Index length, Index number) {
  Random random({0, Draw::sample, 0, 0, static_cast<std::uint32_t>(number)});
  Example example;
  for (Index i = 0; i < length; ++i)
    example.tokens.push_back(static_cast<int>(random.below(task.vocabulary())));
  const std::vector<int> once = example.tokens;
  append(example.tokens, once);
  example.question = 2 * length;
  return example;
}

/// Returns the number of validation examples; 0 if the data file is missing.
Index size_or_none(const Task& task) {
  try {
    return held_out_size(task);
  } catch (const FileError&) {
    return 0;
  }
}

class Reader {
 public:
  Reader(const TaskModel& model, const Task& task) : model_(model), task_(task) {}

  /// Analyzes `count` examples in batches of 16: first computes their maps in parallel, then
  /// updates the heads in parallel.
  void read(Index count, const std::function<Example(Index)>& example, bool repeated = false) {
    constexpr Index at_once = 16;
    for (Index first = 0; first < count; first += at_once) {
      std::vector<std::vector<AttentionMap>> maps(std::min(at_once, count - first));
      parallel_for(static_cast<Index>(maps.size()),
                   [&](Index i) { maps[i] = attention_maps(model_, task_, example(first + i)); });
      if (heads_.empty()) take_names(maps[0]);
      parallel_for(static_cast<Index>(heads_.size()), [&](Index i) {
        for (const auto& one : maps) add(heads_[i], one[heads_[i].layer], repeated);
      });
    }
  }

  std::vector<HeadReading> readings() {
    const auto show = [&](int token) { return label(task_.show({token})); };
    for (HeadReading& head : heads_) head.patterns = head.tally.held(show);
    return std::move(heads_);
  }

 private:
  void take_names(const std::vector<AttentionMap>& maps) {
    for (const AttentionMap& map : maps)
      for (Index head = 0; head < map.heads(); ++head) heads_.push_back({map.layer, head});
  }

  static void add(HeadReading& head, const AttentionMap& map, bool repeated) {
    const HeadWeights weights = map.head(head.head);
    if (repeated) return head.tally.add(weights, Rows::repeated);
    head.tally.add(weights);
    if (weights.answer > 0) head.tally.add(weights, Rows::answer);
  }

  const TaskModel& model_;
  const Task& task_;
  std::vector<HeadReading> heads_;
};

}  // namespace

std::vector<HeadReading> read_heads(const TaskModel& model, const Task& task, Index first,
                                    Index examples) {
  Reader reader(model, task);
  reader.read(std::min(examples, size_or_none(task) - first),
              [&](Index i) { return held_out_example(task, first + i); });
  if (const Index half = std::min<Index>(model.options.context / 2, 64);
      model.arch == "gpt" && !task.has_answers() && half > 1)
    reader.read(
        repeated_sequences, [&](Index i) { return read_twice(task, half, i); }, true);
  return reader.readings();
}

void set_patterns(std::vector<AttentionMap>& maps, const std::vector<HeadReading>& heads) {
  for (AttentionMap& map : maps) {
    map.patterns.clear();
    for (const HeadReading& head : heads)
      if (head.layer == map.layer) map.patterns.push_back(head.patterns);
  }
}

std::string describe(const std::vector<Pattern>& patterns) {
  std::string text;
  for (const Pattern& pattern : patterns)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", pattern.title(), pattern.weight);
  return text;
}

}  // namespace tapehead
