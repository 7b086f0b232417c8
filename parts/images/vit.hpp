#pragma once
#include "../../train/model/architecture.hpp"
#include "patches.hpp"

namespace tapehead {

/// A vision transformer: patches as tokens, blocks in which each sees all, and a class for the
/// image, from a class token or from the mean over the patches (Dosovitskiy et al., with pre-norm
/// blocks). Vocabulary and context of the ModelOptions follow from the patches. Sinusoidal
/// positions are those of the row in one half of the width, and of the column in the other.
struct ViT : Module {
  /// Throws ValueError that names the option.
  ViT(const ModelOptions& options, const PatchOptions& patches);
  /// ids, i32 (batch, pixels and channels) -> logits (batch, classes)
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override;

  ModelOptions options;
  PatchEmbedding patches;
  Parameter class_token;  // (width), or absent
  std::unique_ptr<PositionScheme> positions;
  Dropout dropout;
  std::vector<Block> blocks;
  std::unique_ptr<Module> norm;
  Linear head;  // width -> classes
};

/// A ViT as an image task trains it: it reads an image's pixels, and its answer is the class.
struct ViTModel : EncoderModel {
  ViTModel(const ModelOptions& options, const PatchOptions& patches);
  const PatchOptions& patches() const { return static_cast<const ViT&>(*module).patches.options; }
  Index block_positions() const override { return patches().tokens(); }
  /// `class` for the class token, and row and column of each patch: `2,0`.
  std::vector<std::string> position_names() const override;
  std::pair<Index, Index> input_id_range() const override {
    return {patches().image.classes, patches().image.classes + patches().image.levels};
  }
};

/// `--arch vit`.
ArchitecturePart vit_architecture();

}  // namespace tapehead
