#pragma once
#include "../../cli/terminal/illustration.hpp"
#include "../../train/config/options.hpp"
#include "patches.hpp"

namespace tapehead {

/// A task that classifies images: the source is an image, the target is its class. The text of an
/// image is its brightness levels, row by row, with the channels of a pixel next to each other. The
/// text of a class is its name.
class ImageTask : public Task {
 public:
  const ImageShape& image() const { return shape_; }
  const Illustration* illustration() const override { return illustration_.get(); }
  Index vocabulary() const override { return shape_.classes + shape_.levels; }
  Index context() const override { return shape_.size(); }
  Index longest_question() const override { return shape_.size(); }
  Index longest_answer() const override { return 1; }
  bool has_answers() const override { return true; }
  std::string show(const std::vector<int>& tokens) const override;
  /// Parses levels and class names, separated by spaces or commas.
  std::vector<int> parse(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;

 protected:
  /// Creates a task with these class names. Throws UsageError if a name is a number, isn't a single
  /// word, or occurs twice.
  ImageTask(std::string name, const ImageShape& shape, std::vector<std::string> classes);

  /// Returns an example: the tokens of an image with these levels, then the token of the class
  /// `label`.
  template <class Levels>
  Example example(const Levels& levels, int label) const {
    Example result{{}, shape_.size()};
    result.tokens.reserve(static_cast<std::size_t>(shape_.size() + 1));
    for (const auto level : levels)
      result.tokens.push_back(static_cast<int>(shape_.classes + level));
    result.tokens.push_back(label);
    return result;
  }
  const std::vector<std::string>& classes() const { return classes_; }
  const std::string name_;
  const ImageShape shape_;

 private:
  std::vector<std::string> classes_;
  const std::unique_ptr<Illustration> illustration_;
};

/// Returns the default configuration of image tasks, with these additional options.
TrainConfig image_defaults(const std::string& settings, const Registry& registry);

// The tasks with images. Their default configurations use `--arch vit`, which must be registered
// first.
TaskEntry shapes_task(const Registry& registry);
TaskEntry digits_task(const Registry& registry);
TaskEntry images_task(const Registry& registry);

}  // namespace tapehead
