#pragma once
// Images as sequences of patch vectors, as a vision transformer reads them.
#include "../../core/fields.hpp"
#include "../../nn/layers.hpp"

namespace tapehead {

/// The size of images to classify. An image's tokens are its pixels row by row, with a pixel's
/// channels next to each other. Ids below `classes` are classes; id `classes` + l is brightness
/// level l, where 0 is black.
struct ImageShape {
  Index rows = 0, columns = 0, channels = 1;
  Index levels = 2, classes = 0;
  Index size() const { return rows * columns * channels; }  ///< number of tokens of an image
};

/// Options of patches.
struct PatchOptions {
  void options(Fields& f);  ///< declares all options except the image's shape

  ImageShape image = {};
  Index side = 4;        ///< side of a patch in pixels
  bool shifted = false;  ///< also reads the image shifted by half a patch in four directions
  bool class_token = false;
  Index count() const { return image.rows / side * (image.columns / side); }
  /// Returns the number of tokens in the blocks.
  Index tokens() const { return count() + (class_token ? 1 : 0); }
};
/// Returns the options. Throws ValueError if the image has no pixels or no classes, or if patches
/// don't divide it or can't be shifted by half.
const PatchOptions& checked(const PatchOptions& options);

/// The patch embedding: one linear map (Dosovitskiy et al., "An Image Is Worth 16x16 Words") or, if
/// shifted, shifted patch tokenization (Lee, Lee and Song, "Vision Transformer for Small-Size
/// Datasets"). The latter stacks the image and its four diagonal shifts as channels, then applies a
/// layer norm and the linear map. Levels are scaled to [-1, 1]; shifts pad with zeros.
struct PatchEmbedding : Module {
  PatchEmbedding(const PatchOptions& options, Index width);
  /// Maps ids, i32 (batch, image.size()), to (batch, count, width), with patches row by row.
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override {
    v("norm", norm);
    v("map", map);
  }

  PatchOptions options;
  std::optional<LayerNorm> norm;  // before the map; only for shifted patches
  Linear map;                     // numbers of a patch -> width
};

}  // namespace tapehead
