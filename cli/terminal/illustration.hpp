#pragma once
// Examples that are drawn rather than written.
#include "../../train/files/json.hpp"
#include "../../train/model/architecture.hpp"
#include "../attention/map.hpp"
#include "terminal.hpp"

namespace tapehead {

/// How the examples of a task are drawn, such as one whose questions are images.
class Illustration {
 public:
  virtual ~Illustration() = default;
  /// What stands in place of `  in   TOKENS`.
  virtual std::string question(const std::vector<int>& question,
                               const Terminal& terminal) const = 0;
  /// Examples side by side, each with what it was taken for, and whether it is that.
  virtual std::string gallery(const std::vector<Example>& examples,
                              const std::vector<std::vector<int>>& predicted,
                              const Terminal& terminal) const = 0;
  /// For each head of the maps what it looks at, over the example; empty for a model that doesn't
  /// see it as it is drawn.
  virtual std::string overlay(const std::vector<AttentionMap>& maps, const TaskModel& model,
                              const Example& example, const Terminal& terminal) const = 0;
  /// A question as the script of a page draws it.
  virtual Json question_json(const std::vector<int>& question) const = 0;
  /// The same with what an overlay needs; null where there is none.
  virtual Json overlay_json(const TaskModel& model, const Example& example) const = 0;
};

/// The first examples that a model gets wrong, of those that are held out; empty if it gets none.
std::string mistakes_gallery(const TaskModel& model, const Task& task, const Terminal& terminal);

/// Numbers of held-out examples, at most `count`, in their order; but of those that are drawn first
/// the ones that the model gets wrong, among the first thousand.
std::vector<Index> examples_shown(const TaskModel& model, const Task& task, Index count);

/// What an illustrated task draws over what the model saw of an example; else null.
Json overlay_json(const TaskModel& model, const Task& task, const Example& example);

}  // namespace tapehead
