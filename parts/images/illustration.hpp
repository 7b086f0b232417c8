#pragma once
#include "../../cli/terminal/illustration.hpp"
#include "patches.hpp"

namespace tapehead {

/// The illustration of images whose tokens are pixels; see ImageShape.
class ImageIllustration : public Illustration {
 public:
  explicit ImageIllustration(const Task& task, const ImageShape& image)
      : task_(task), image_(image) {}

  std::string question(const std::vector<int>& question, const Terminal& terminal) const override;
  std::string gallery(const std::vector<Example>& examples,
                      const std::vector<std::vector<int>>& predicted,
                      const Terminal& terminal) const override;
  /// Returns the image blended with the attention weights of the class token; without a class
  /// token, with the mean weights of all patches. Without colours, puts the weights next to the
  /// image.
  std::string overlay(const std::vector<AttentionMap>& maps, const TaskModel& model,
                      const Example& example, const Terminal& terminal) const override;
  /// Returns {rows, columns, pixels}; each pixel is RRGGBB. images.js of the pages reads it.
  Json question_json(const std::vector<int>& question) const override;
  /// Adds `patch`, the side of a patch, and `before`, the number of tokens before the patches.
  Json overlay_json(const TaskModel& model, const Example& example) const override;

 private:
  const Task& task_;
  const ImageShape image_;
};

}  // namespace tapehead
