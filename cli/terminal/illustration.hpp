#pragma once
// Examples that are shown as drawings.
#include "../../train/files/json.hpp"
#include "../../train/model/architecture.hpp"
#include "../attention/map.hpp"
#include "terminal.hpp"

namespace tapehead {

/// Draws the examples of a task, such as one with images as prompts.
class Illustration {
 public:
  virtual ~Illustration() = default;
  /// Returns the drawing that replaces `  in   TOKENS`.
  virtual std::string question(const std::vector<int>& question,
                               const Terminal& terminal) const = 0;
  /// Draws examples side by side, each with its predicted class and whether that is right.
  virtual std::string gallery(const std::vector<Example>& examples,
                              const std::vector<std::vector<int>>& predicted,
                              const Terminal& terminal) const = 0;
  /// Draws the attention of each head over the example; empty for a model whose input differs from
  /// the drawing.
  virtual std::string overlay(const std::vector<AttentionMap>& maps, const TaskModel& model,
                              const Example& example, const Terminal& terminal) const = 0;
  /// Returns a prompt for the script of a page.
  virtual Json question_json(const std::vector<int>& question) const = 0;
  /// Returns an example's prompt with data for an overlay; null if there is no overlay.
  virtual Json overlay_json(const TaskModel& model, const Example& example) const = 0;
};

/// Draws the first wrongly answered validation examples; empty if there are none.
std::string mistakes_gallery(const TaskModel& model, const Task& task, const Terminal& terminal);

/// Returns the numbers of at most `count` validation examples, in order. For drawn examples,
/// wrongly answered ones among the first thousand come first.
std::vector<Index> examples_shown(const TaskModel& model, const Task& task, Index count);

/// Returns the overlay of an illustrated task for an example; else null.
Json overlay_json(const TaskModel& model, const Task& task, const Example& example);

}  // namespace tapehead
