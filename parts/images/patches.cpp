#include "patches.hpp"
#include "../../core/plural.hpp"

namespace tapehead {
namespace {

/// Returns how many numbers the linear map reads per patch.
Index inputs(const PatchOptions& o) {
  return o.side * o.side * o.image.channels * (o.shifted ? 5 : 1);
}

/// Shifts x (batch, rows, columns, channels) along an axis and pads with zeros.
Tensor moved(const Tensor& x, int axis, Index by) {
  const Index size = x.dim(axis);
  return by > 0 ? slice(pad(x, axis, by, 0), axis, 0, size)
                : slice(pad(x, axis, 0, -by), axis, -by, size - by);
}

}  // namespace

void PatchOptions::options(Fields& f) {
  static constexpr Choice<bool> pools[] = {{"mean", false}, {"class", true}};
  f("patch", side, 1, 1024, "patch side in pixels");
  f("shifted-patches", shifted,
    "four copies of the image, shifted by half a patch, as further input");
  f("pool", class_token, pools, "input of the classifier: mean of the patches, or a class token");
}

const PatchOptions& checked(const PatchOptions& o) {
  const ImageShape& image = o.image;
  if (image.size() < 1 || image.levels < 2 || image.classes < 1)
    throw ValueError(
        "patches: image of {} x {} x {} with {} and {} {}; expected at least 2 levels, and at "
        "least 1 for the others",
        image.rows, image.columns, image.channels, plural(image.levels, "level"), image.classes,
        image.classes == 1 ? "class" : "classes");
  if (o.side < 1 || image.rows % o.side != 0 || image.columns % o.side != 0)
    throw ValueError("patches: {0} x {0} pixels don't divide an image of {1} x {2}", o.side,
                     image.rows, image.columns);
  if (o.shifted && o.side < 2)
    throw ValueError("patches: a patch of 1 x 1 pixels can't be shifted by half");
  return o;
}

PatchEmbedding::PatchEmbedding(const PatchOptions& given, Index width)
    : options(checked(given)), map(inputs(given), width) {
  if (options.shifted) norm.emplace(inputs(options));
}

Tensor PatchEmbedding::forward(const Tensor& ids, Pass& pass) const {
  const auto& [rows, columns, channels, levels, classes] = options.image;
  if (ids.rank() != 2 || ids.dim(1) != options.image.size())
    throw ShapeError("patches: ids {}, expected (batch, {})", ids.shape(), options.image.size());
  const auto* id = ids.data<std::int32_t>();
  for (Index i = 0; i < ids.size(); ++i)
    if (id[i] < classes || id[i] >= classes + levels)
      throw ValueError("patches: id {} isn't a pixel; pixels have ids {} to {}", id[i], classes,
                       classes + levels - 1);
  const double step = 2 / static_cast<double>(levels - 1);
  Tensor x = (cast(ids, map.bias.dtype) - static_cast<double>(classes)) * step - 1.0;
  x = reshape(x, {-1, rows, columns, channels});
  if (options.shifted) {
    std::vector<Tensor> all = {x};
    const Index half = options.side / 2;
    for (const Index down : {-half, half})
      for (const Index right : {-half, half}) all.push_back(moved(moved(x, 1, down), 2, right));
    x = concat(all, 3);
  }
  const Index side = options.side, down = rows / side, across = columns / side;
  x = reshape(x, {-1, down, side, across, side, x.dim(3)});
  x = reshape(permute(x, {0, 1, 3, 2, 4, 5}), {-1, down * across, inputs(options)});
  return map(norm ? (*norm)(x, pass) : x, pass);
}

}  // namespace tapehead
