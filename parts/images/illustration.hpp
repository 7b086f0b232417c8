#pragma once
#include "../../cli/terminal/illustration.hpp"
#include "patches.hpp"

namespace tapehead {

/// Shows the images of an ImageTask in the terminal and on pages.
class ImageIllustration : public Illustration {
 public:
  explicit ImageIllustration(const Task& task, const ImageShape& image)
      : task_(task), image_(image) {}

  std::string question(const std::vector<int>& question, const Terminal& terminal) const override;
  std::string gallery(const std::vector<Example>& examples,
                      const std::vector<std::vector<int>>& predicted,
                      const Terminal& terminal) const override;
  /// Returns the image with each head's attention weights as an overlay: from the class token or,
  /// without one, the mean over all patches. Without colours, shows the weights next to the image.
  std::string overlay(const std::vector<AttentionMap>& maps, const TaskModel& model,
                      const Example& example, const Terminal& terminal) const override;
  /// Returns {rows, columns, pixels}, which images.js reads. Each pixel is RRGGBB.
  Json question_json(const std::vector<int>& question) const override;
  /// Returns question_json with `patch`, the side of a patch, and `before`, the number of tokens
  /// before the patches.
  Json overlay_json(const TaskModel& model, const Example& example) const override;

 private:
  const Task& task_;
  const ImageShape image_;
};

}  // namespace tapehead
