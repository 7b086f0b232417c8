#pragma once
// A task's images and the answers to them.
#include "../../train/model/architecture.hpp"
#include "picture.hpp"

namespace tapehead {

/// What stands in place of `  in   TOKENS` where the question is an image.
std::string question_picture(const ImageShape& image, const std::vector<int>& question,
                             const Terminal& terminal);

/// The images of examples side by side, each with what it was taken for, and whether it is that.
std::string gallery(const Task& task, const std::vector<Example>& examples,
                    const std::vector<std::vector<int>>& predicted, const Terminal& terminal);

/// The first images that a model gets wrong, of those that are held out; empty if it gets none.
std::string mistakes_gallery(const TaskModel& model, const Task& task, const Terminal& terminal);

/// Numbers of held-out examples, at most `count`, in their order; but of images those first that
/// the model gets wrong, among the first thousand.
std::vector<Index> examples_shown(const TaskModel& model, const Task& task, Index count);

}  // namespace tapehead
