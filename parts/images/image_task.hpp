#pragma once
#include "../../cli/terminal/illustration.hpp"
#include "../../train/config/options.hpp"
#include "patches.hpp"

namespace tapehead {

/// A task whose questions are images, and whose answer is the class. Written as text, an image is
/// the numbers of its levels, row by row, a pixel's channels one after the other, and a class is a
/// name.
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
  /// Numbers may be separated by commas too.
  std::vector<int> parse(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;

 protected:
  /// The number of classes is that of their names. Throws UsageError for a name that is a number,
  /// or not one word, or there twice.
  ImageTask(std::string name, const ImageShape& shape, std::vector<std::string> classes);

  /// The tokens of an image, whose levels are given, and of its class.
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

/// What recipes of image tasks have in common.
TrainConfig image_defaults(const std::string& settings, const Registry& registry);

// With recipes for `--arch vit`, which the registry has.
TaskEntry shapes_task(const Registry& registry);
TaskEntry digits_task(const Registry& registry);
TaskEntry images_task(const Registry& registry);

}  // namespace tapehead
