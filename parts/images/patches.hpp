#pragma once
// Images as sequences of patch vectors, the input of a vision transformer.
#include "../../core/fields.hpp"
#include "../../nn/layers.hpp"

namespace tapehead {

/// The size of a task's images. The tokens of an image are its pixels row by row, with the channels
/// of a pixel next to each other. Ids below `classes` are classes; id `classes` + l is brightness
/// level l, where 0 is black.
struct ImageShape {
  Index rows = 0, columns = 0, channels = 1;
  Index levels = 2, classes = 0;
  Index size() const { return rows * columns * channels; }  ///< number of tokens of an image
};

/// The options that divide an image into patches.
struct PatchOptions {
  void options(Fields& f);  ///< declares all options but the image size

  ImageShape image = {};
  Index side = 4;        ///< side of a patch in pixels
  bool shifted = false;  ///< adds copies of the image, shifted by half a patch in four directions
  bool class_token = false;
  Index count() const { return image.rows / side * (image.columns / side); }
  /// Returns how many tokens the transformer blocks process.
  Index tokens() const { return count() + (class_token ? 1 : 0); }
};
/// Returns the options unchanged. Throws ValueError if the image has no pixels or no classes, if
/// patches don't divide it, or if they can't be shifted by half.
const PatchOptions& checked(const PatchOptions& options);

/// The patch embedding: one linear map per patch (Dosovitskiy et al., "An Image Is Worth 16x16
/// Words") or, if shifted, shifted patch tokenization (Lee, Lee and Song, "Vision Transformer for
/// Small-Size Datasets"). Shifted patch tokenization stacks the image and its four diagonal shifts,
/// padded with zeros, as channels, and applies a layer norm before the map. Brightness levels are
/// scaled to [-1, 1].
struct PatchEmbedding : Module {
  PatchEmbedding(const PatchOptions& options, Index width);
  /// Maps ids, i32 (batch, image.size()), to (batch, count, width). Patches are in order of rows.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override {
    v("norm", norm);
    v("map", map);
  }

  PatchOptions options;
  std::optional<LayerNorm> norm;  // set if shifted; applied before the linear map
  Linear map;                     // all numbers of a patch -> width
};

}  // namespace tapehead
