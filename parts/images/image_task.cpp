#include "image_task.hpp"
#include "illustration.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

ImageShape with_classes(ImageShape shape, std::size_t classes) {
  shape.classes = static_cast<Index>(classes);
  return shape;
}

}  // namespace

ImageTask::ImageTask(std::string name, const ImageShape& shape, std::vector<std::string> classes)
    : name_(std::move(name)),
      shape_(with_classes(shape, classes.size())),
      classes_(std::move(classes)),
      illustration_(std::make_unique<ImageIllustration>(*this, shape_)) {
  for (const std::string& each : classes_)
    if (each.empty() || is_number(each) || each.find_first_of(" ,\t\r\n") != std::string::npos ||
        std::count(classes_.begin(), classes_.end(), each) > 1)
      throw UsageError(
          "--classes: '{}' isn't a valid class name; use distinct single words that aren't "
          "numbers",
          each);
}

std::string ImageTask::show(const std::vector<int>& tokens) const {
  std::string text;
  for (int token : tokens) {
    if (!text.empty()) text += ' ';
    text += token < shape_.classes ? classes_.at(token) : std::to_string(token - shape_.classes);
  }
  return text;
}

std::vector<int> ImageTask::parse(const std::string& text) const {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::vector<int> tokens;
  for (const std::string& word : split_words(spaced)) {
    const auto found = std::find(classes_.begin(), classes_.end(), word);
    const bool level = is_number(word) && word.size() < 4 && std::stoi(word) < shape_.levels;
    if (!level && found == classes_.end())
      throw ValueError(
          "{}: '{}' is neither a brightness level from 0 to {} nor one of the classes {}", name_,
          word, shape_.levels - 1, fmt::join(classes_, ", "));
    tokens.push_back(level ? static_cast<int>(shape_.classes) + std::stoi(word)
                           : static_cast<int>(found - classes_.begin()));
  }
  return tokens;
}

std::string ImageTask::prompt_error(const std::vector<int>& question) const {
  const auto pixels =
      static_cast<Index>(count_if(question, [&](int t) { return t >= shape_.classes; }));
  const auto size = static_cast<Index>(question.size());
  if (pixels == size && size == shape_.size()) return {};
  return fmt::format(
      "{} expects an image of {} x {}{}: {} numbers from 0 to {}, got {}{}", name_, shape_.rows,
      shape_.columns, shape_.channels > 1 ? fmt::format(" x {}", shape_.channels) : "",
      shape_.size(), shape_.levels - 1, pixels, pixels < size ? " and names of classes" : "");
}

TrainConfig image_defaults(const std::string& settings, const Registry& registry) {
  return recipe(
      "--arch vit --shifted-patches true --layers 3 --heads 4 --width 64 --norm rms "
      "--optimizer muon --lr 0.02 --adam-lr 0.005 --min-lr 0 --weight-decay 0 --average 0.98 " +
          settings,
      registry);
}

}  // namespace tapehead
