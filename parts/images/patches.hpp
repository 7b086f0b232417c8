#pragma once
// Images as a transformer reads them: patches, each a vector.
#include "../../core/fields.hpp"
#include "../../nn/layers.hpp"

namespace tapehead {

/// What a model is told of images to classify. As tokens, an image is its pixels row by row, a
/// pixel's channels side by side; ids below `classes` are the classes, and `classes` + l is level l
/// of brightness, from 0, black.
struct ImageShape {
  Index rows = 0, columns = 0, channels = 1;
  Index levels = 2, classes = 0;
  Index size() const { return rows * columns * channels; }  ///< tokens of an image
};

struct PatchOptions {
  void options(Fields& f);  ///< all but the image's shape

  ImageShape image = {};
  Index side = 4;        ///< of a patch, in pixels
  bool shifted = false;  ///< the image's four shifts by half a patch are read along with it
  bool class_token = false;
  Index count() const { return image.rows / side * (image.columns / side); }
  Index tokens() const { return count() + (class_token ? 1 : 0); }  ///< that blocks work on
};
/// The options. Throws ValueError for an image without pixels or classes, or patches that don't
/// divide it, or can't be shifted by half.
const PatchOptions& checked(const PatchOptions& options);

/// Patches by one linear map (Dosovitskiy et al., "An Image Is Worth 16x16 Words"), or, shifted, by
/// shifted patch tokenization: the image and its shifts to the four corners side by side as
/// channels, layer norm, then the linear map (Lee, Lee and Song, "Vision Transformer for Small-Size
/// Datasets"). Levels are read as numbers from -1 to 1; a shift moves zeros in.
struct PatchEmbedding : Module {
  PatchEmbedding(const PatchOptions& options, Index width);
  /// ids, i32 (batch, image.size()) -> (batch, count, width), patches row by row
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override {
    v("norm", norm);
    v("map", map);
  }

  PatchOptions options;
  std::optional<LayerNorm> norm;  // before the map, where patches are shifted
  Linear map;                     // a patch's numbers -> width
};

}  // namespace tapehead
