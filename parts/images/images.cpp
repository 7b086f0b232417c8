#include "../../core/plural.hpp"
#include "../../train/config/names.hpp"
#include "packed_file.hpp"
#include "readers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tapehead {
namespace {

/// Returns the path of the first file in the folder with one of these names, plain or with .gz;
/// empty if there is none.
std::string found(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (const char* ending : {"", ".gz"})
      if (const std::string path = folder + "/" + name + ending; exists(path)) return path;
  return {};
}
std::string needed(const std::string& folder, const std::vector<std::string>& names) {
  const std::string path = found(folder, names);
  if (path.empty()) throw FileError("{}: no {}, plain or .gz", folder, alternatives(names));
  return path;
}

// ---- IDX format: 0, 0, element type, number of axes; then the axes' sizes; then the elements

constexpr Index longest_side = 1024;

struct Idx {
  std::vector<Index> sizes;
  std::vector<std::uint8_t> bytes;
};
Idx read_idx(const std::string& path, std::uint8_t axes) {
  PackedFile file(path);
  std::array<std::uint8_t, 4> word{};
  file.read(word.data(), word.size());
  const std::array<std::uint8_t, 4> expected = {0, 0, 8, axes};
  if (word != expected)
    throw FileError(
        "{}: begins with the bytes {:02x}; expected an IDX file of bytes with {} {}, which begins "
        "with"
        " {:02x}",
        path, fmt::join(word, " "), axes, axes == 1 ? "axis" : "axes", fmt::join(expected, " "));
  Idx idx;
  double size = 1;
  for (int axis = 0; axis < axes; ++axis) {
    file.read(word.data(), word.size());
    Index n = 0;
    for (const std::uint8_t byte : word) n = n << 8 | byte;
    if (n < 1 || (axis > 0 && n > longest_side))
      throw FileError("{}: axis {} has size {}, expected 1 to {}", path, axis, n,
                      axis > 0 ? longest_side : 0xffffffff);
    idx.sizes.push_back(n);
    size *= static_cast<double>(n);
  }
  file.expect(size, fmt::format("{} elements", fmt::join(idx.sizes, " x ")));
  idx.bytes.resize(static_cast<std::size_t>(size));
  file.read(idx.bytes.data(), idx.bytes.size());
  if (!file.at_end()) throw FileError("{}: has data after its last element", path);
  return idx;
}

/// Reads a file of images and the file of their labels. Sets `shape` if it is unset; otherwise, the
/// images must have it.
LabelledImages read_pair(const std::string& folder, const std::string& part, ImageShape& shape) {
  const auto named = [&](const char* kind, int axes) {
    return needed(folder, {fmt::format("{}-{}-idx{}-ubyte", part, kind, axes),
                           fmt::format("{}-{}.idx{}-ubyte", part, kind, axes)});
  };
  const std::string path = named("images", 3), labels_path = named("labels", 1);
  Idx images = read_idx(path, 3), labels = read_idx(labels_path, 1);
  if (images.sizes[0] != labels.sizes[0])
    throw FileError("{}: {} for {}, expected one label per image", labels_path,
                    plural(labels.sizes[0], "label"), plural(images.sizes[0], "image"));
  if (shape.rows == 0) shape.rows = images.sizes[1], shape.columns = images.sizes[2];
  if (shape.rows != images.sizes[1] || shape.columns != images.sizes[2])
    throw FileError("{}: images have {} x {} pixels, but the training images have {} x {}", path,
                    images.sizes[1], images.sizes[2], shape.rows, shape.columns);
  return {std::move(images.bytes), std::move(labels.bytes)};
}

// ---- CIFAR format: records of 1 or 2 labels (the last one is the class) and 3 colour planes

constexpr Index cifar_side = 32, plane = cifar_side * cifar_side, most_records = 50'000;

void read_records(const std::string& path, Index labels, LabelledImages& to) {
  PackedFile file(path);
  std::vector<std::uint8_t> record(labels + 3 * plane);
  Index count = 0;
  for (; !file.at_end(); ++count) {
    if (count == most_records)
      throw FileError("{}: more than {} images, the most in a CIFAR file", path, count);
    file.read(record.data(), record.size());
    to.labels.push_back(record[labels - 1]);
    const std::uint8_t* const planes = record.data() + labels;
    to.levels.resize(to.levels.size() + 3 * plane);
    std::uint8_t* level = to.levels.data() + to.levels.size() - 3 * plane;
    for (Index pixel = 0; pixel < plane; ++pixel)
      for (Index colour = 0; colour < 3; ++colour) *level++ = planes[colour * plane + pixel];
  }
  if (count == 0) throw FileError("{}: empty", path);
}

}  // namespace

ImageData read_images(const std::string& folder) {
  ImageData data{{0, 0, 1, 256, 0}, {}, {}, {}};
  const std::string first = found(folder, {"data_batch_1.bin"}),
                    fine = found(folder, {"train.bin"});
  if (!first.empty() || !fine.empty()) {
    data.shape = {cifar_side, cifar_side, 3, 256, 0};
    const Index labels = first.empty() ? 2 : 1;
    for (int batch = 1; batch <= (first.empty() ? 1 : 5); ++batch)
      read_records(first.empty() ? fine : needed(folder, {fmt::format("data_batch_{}.bin", batch)}),
                   labels, data.training);
    read_records(needed(folder, {first.empty() ? "test.bin" : "test_batch.bin"}), labels,
                 data.held_out);
    if (!first.empty())
      data.classes = {"airplane", "automobile", "bird",  "cat",  "deer",
                      "dog",      "frog",       "horse", "ship", "truck"};
  } else if (found(folder, {"train-images-idx3-ubyte", "train-images.idx3-ubyte"}).empty()) {
    throw FileError(
        "{}: no image files; expected train-images-idx3-ubyte (MNIST), "
        "data_batch_1.bin"
        " or train.bin (CIFAR), plain or .gz",
        folder);
  } else {
    data.training = read_pair(folder, "train", data.shape);
    data.held_out = read_pair(folder, "t10k", data.shape);
  }
  const auto& labels = data.training.labels;
  data.shape.classes = std::max<Index>(*std::max_element(labels.begin(), labels.end()) + 1,
                                       static_cast<Index>(data.classes.size()));
  for (Index i = static_cast<Index>(data.classes.size()); i < data.shape.classes; ++i)
    data.classes.push_back(fmt::format("class-{}", i));
  return data;
}

}  // namespace tapehead
