#pragma once
#include "../../train/model/architecture.hpp"
#include "patches.hpp"

namespace tapehead {

/// A vision transformer (Dosovitskiy et al., with pre-norm blocks): blocks with attention over all
/// patches, then a classifier on a class token or on the mean of the patches. The patch options
/// determine the vocabulary and context in ModelOptions. Sinusoidal positions encode a patch's row
/// in one half of the width and its column in the other half.
struct ViT : Module {
  /// Throws ValueError with the invalid option.
  ViT(const ModelOptions& options, const PatchOptions& patches);
  /// Maps ids, i32 (batch, image.size()), to logits (batch, classes).
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  ModelOptions options;
  PatchEmbedding patches;
  Parameter class_token;  // (width); absent without --pool class
  std::unique_ptr<PositionScheme> positions;
  Dropout dropout;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  Linear head;  // width -> classes
};

/// A ViT for image tasks, which reads the pixels of an image and predicts the image's class.
struct ViTModel : EncoderModel {
  ViTModel(const ModelOptions& options, const PatchOptions& patches);
  const PatchOptions& patches() const { return static_cast<const ViT&>(*module).patches.options; }
  Index block_positions() const override { return patches().tokens(); }
  /// Returns `class` for the class token, and `row,column` for each patch, as in `2,0`.
  std::vector<std::string> position_names() const override;
  std::pair<Index, Index> input_id_range() const override {
    return {patches().image.classes, patches().image.classes + patches().image.levels};
  }
};

/// Returns the architecture `--arch vit`.
ArchitecturePart vit_architecture();

}  // namespace tapehead
