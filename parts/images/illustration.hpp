#pragma once
#include "../../cli/terminal/illustration.hpp"
#include "patches.hpp"

namespace tapehead {

/// Draws images, whose tokens are pixels: see ImageShape.
class ImageIllustration : public Illustration {
 public:
  explicit ImageIllustration(const Task& task, const ImageShape& image)
      : task_(task), image_(image) {}

  std::string question(const std::vector<int>& question, const Terminal& terminal) const override;
  std::string gallery(const std::vector<Example>& examples,
                      const std::vector<std::vector<int>>& predicted,
                      const Terminal& terminal) const override;
  /// The image, covered by the weights that the class token gives to the patches; without one, by
  /// the mean of those that all patches give. Without colours the weights stand beside the image.
  std::string overlay(const std::vector<AttentionMap>& maps, const TaskModel& model,
                      const Example& example, const Terminal& terminal) const override;
  /// {rows, columns, pixels}, the latter RRGGBB for each; see images.js of the pages.
  Json question_json(const std::vector<int>& question) const override;
  /// The same with `patch`, its side, and `before`, the number of tokens before the patches.
  Json overlay_json(const TaskModel& model, const Example& example) const override;

 private:
  const Task& task_;
  const ImageShape image_;
};

}  // namespace tapehead
