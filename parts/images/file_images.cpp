// Tasks that read images from files.
#include "../../core/kernels/functions/angles.hpp"
#include "../../core/plural.hpp"
#include "../../train/files/files.hpp"
#include "image_task.hpp"
#include "readers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tapehead {
namespace {

using Read = ImageData (*)(const std::string& path);

std::string size_text(const ImageShape& shape) {
  return fmt::format("{}x{}x{}", shape.rows, shape.columns, shape.channels);
}
ImageShape size_of(const std::string& text, Index levels) {
  ImageShape shape{0, 0, 0, levels, 0};
  char first = 0, second = 0;
  std::istringstream in(text);
  in >> shape.rows >> first >> shape.columns >> second >> shape.channels;
  const Index most = std::max({shape.rows, shape.columns, shape.channels});
  if (size_text(shape) != text || std::min({shape.rows, shape.columns, shape.channels}) < 1 ||
      most > 1024)
    throw UsageError("--size must be rows, columns and channels, as in 28x28x1, not '{}'", text);
  return shape;
}

/// The images read from files. For a trained run they are optional; if they are missing, the reason
/// is kept.
struct Loaded {
  ImageData data;
  std::string why_no_data = {};
};
void check_labels(const std::string& path, const LabelledImages& images, Index classes) {
  for (const std::uint8_t label : images.labels)
    if (label >= classes)
      throw FileError(
          "{}: an image has class {}, but there {}", path, label,
          classes == 1 ? "is only 1 class" : fmt::format("are only {} classes", classes));
}
/// Moves all training images to the validation set.
void hold_out_all(ImageData& data) {
  LabelledImages &all = data.training, &held_out = data.held_out;
  append(all.levels, held_out.levels);
  append(all.labels, held_out.labels);
  held_out = std::exchange(all, {});
}
Loaded load(const TaskOptions& options, Index levels, Read read, HeldOut held_out) {
  const std::string &path = options.at("data"), &size = options.at("size");
  const std::vector<std::string> classes = split(options.at("classes"), ',');
  const bool trained = !size.empty() && !classes.empty();
  if (path.empty() && !trained) throw UsageError("--data is required: the images to train on");
  Loaded loaded;
  if (!size.empty()) loaded.data.shape = size_of(size, levels);
  loaded.data.classes = classes;
  try {
    if (path.empty()) throw FileError("--data is required: images to take examples from");
    ImageData data = read(path);
    if (!size.empty() && size_text(data.shape) != size)
      throw FileError("{}: images have size {}, expected {}", path, size_text(data.shape), size);
    if (!classes.empty()) data.classes = classes;
    for (const LabelledImages* part : {&data.training, &data.held_out})
      check_labels(path, *part, static_cast<Index>(data.classes.size()));
    if (held_out == HeldOut::all) hold_out_all(data);
    if (data.held_out.count() == 0 || (held_out == HeldOut::split && data.training.count() == 0))
      throw FileError(
          "{}: {} of {} in the validation set (one in five, by a hash); add images, since training "
          "and validation both need at least one",
          path, data.held_out.count(),
          plural(data.held_out.count() + data.training.count(), "image"));
    loaded.data = std::move(data);
  } catch (const FileError& error) {
    if (!trained) throw;
    loaded.why_no_data = error.what();
  }
  return loaded;
}

class FileImages : public ImageTask {
 public:
  FileImages(const char* name, const TaskOptions& options, Index levels, Read read,
             HeldOut held_out)
      : FileImages(name, options, load(options, levels, read, held_out)) {}

  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random = example_random(seed, step, number);
    const LabelledImages& all = images(&ImageData::training);
    const Index i = random.below(all.count());
    const auto within = [&](double most) { return most * (2 * random.uniform() - 1); };
    const double down = within(shift_), right = within(shift_), turn = within(turn_);
    if (shift_ > 0 || turn_ > 0)
      return example(moved(at(all, i), down, right, turn), all.labels[i]);
    return whole(all, i);
  }
  Index held_out_size() const override { return images(&ImageData::held_out).count(); }
  Example held_out_example(Index number) const override {
    return whole(images(&ImageData::held_out), number);
  }
  std::size_t bytes() const override {
    return data_.training.levels.capacity() + data_.held_out.levels.capacity();
  }
  TaskOptions recorded_options() const override {
    return {{"size", size_text(shape_)}, {"classes", fmt::format("{}", fmt::join(classes(), ","))}};
  }

 private:
  FileImages(const char* name, const TaskOptions& options, Loaded loaded)
      : ImageTask(name, loaded.data.shape, loaded.data.classes),
        data_(std::move(loaded.data)),
        why_no_data_(std::move(loaded.why_no_data)),
        shift_(static_cast<double>(whole_option(options, "shift", 0, 64))),
        turn_(0.017453292519943295 * static_cast<double>(whole_option(options, "turn", 0, 180))) {}

  const LabelledImages& images(LabelledImages ImageData::*part) const {
    if (!why_no_data_.empty()) throw FileError("{}", why_no_data_);
    return data_.*part;
  }
  const std::uint8_t* at(const LabelledImages& all, Index i) const {
    return all.levels.data() + i * shape_.size();
  }
  Example whole(const LabelledImages& all, Index i) const {
    const std::uint8_t* const first = at(all, i);
    return example(std::vector<std::uint8_t>(first, first + shape_.size()), all.labels.at(i));
  }

  /// Returns the image rotated about its centre, then shifted, with linear interpolation between
  /// pixels. New pixels are black.
  std::vector<std::uint8_t> moved(const std::uint8_t* image, double down, double right,
                                  double turn) const {
    const auto& [rows, columns, channels, levels, classes] = shape_;
    const double cos = kernel::cos(turn), sin = kernel::sin(turn);
    const double middle_row = 0.5 * static_cast<double>(rows - 1);
    const double middle_column = 0.5 * static_cast<double>(columns - 1);
    const auto level = [&, r = rows, c = columns, n = channels](Index row, Index column, Index ch) {
      const bool inside = row >= 0 && row < r && column >= 0 && column < c;
      return inside ? static_cast<double>(image[(row * c + column) * n + ch]) : 0.0;
    };
    std::vector<std::uint8_t> result;
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < columns; ++column) {
        const double y = static_cast<double>(row) - middle_row - down;
        const double x = static_cast<double>(column) - middle_column - right;
        const double from_row = middle_row + cos * y - sin * x;
        const double from_column = middle_column + cos * x + sin * y;
        const auto above = static_cast<Index>(std::floor(from_row));
        const auto left = static_cast<Index>(std::floor(from_column));
        const double v = from_row - static_cast<double>(above);
        const double h = from_column - static_cast<double>(left);
        for (Index ch = 0; ch < channels; ++ch) {
          const double upper = (1 - h) * level(above, left, ch) + h * level(above, left + 1, ch);
          const double lower =
              (1 - h) * level(above + 1, left, ch) + h * level(above + 1, left + 1, ch);
          result.push_back(static_cast<std::uint8_t>((1 - v) * upper + v * lower + 0.5));
        }
      }
    return result;
  }

  ImageData data_;
  std::string why_no_data_;
  double shift_, turn_;  // maximum shift in pixels, maximum rotation in radians
};

TaskEntry entry(const Registry& registry, const char* name, const char* summary,
                const char* teaches, const char* expected, const std::string& recipe,
                const char* data, const char* shift, Index levels, Read read) {
  return {name,
          summary,
          teaches,
          expected,
          image_defaults(recipe, registry),
          {},
          {{"data", data, ""},
           {"shift", "augmentation: largest shift in pixels, up to 64", shift},
           {"turn", "augmentation: largest rotation in degrees, up to 180", "15"},
           {"size", "image size, rows x columns x channels (default: as in the file)", ""},
           {"classes", "class names, separated by commas (default: as in the file)", "", "NAMES"}},
          "",
          {"vit", "encoder"},
          [=](const TaskOptions& options) {
            return std::make_unique<FileImages>(name, options, levels, read, HeldOut::split);
          },
          [=](const TaskOptions& options) {
            return std::make_unique<FileImages>(name, options, levels, read, HeldOut::all);
          }};
}

}  // namespace

TaskEntry digits_task(const Registry& registry) {
  return entry(registry, "digits", "classify handwritten digits of 8 x 8 pixels",
               "a vision transformer reads an image as a sequence of patches",
               "exact match above 98 % on UCI's 1,797 digits, with one in five for validation",
               "--patch 2 --position sinusoidal --smoothing 0.1 --steps 600 --eval-every 200",
               "text file with an image per line: 64 levels from 0 to 16, and the digit, as in the "
               "UCI repository",
               "1", 17, read_digits);
}

TaskEntry images_task(const Registry& registry) {
  return entry(registry, "images", "classify the images of MNIST, Fashion-MNIST or CIFAR",
               "the model learns which pixels are neighbours", "exact match depends on the data",
               "--layers 4 --steps 2000 --eval-every 500",
               "folder with IDX files (MNIST, Fashion-MNIST) or the binary files of CIFAR", "2",
               256, read_images);
}

}  // namespace tapehead
