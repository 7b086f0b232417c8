#pragma once
#include "../../train/model/encoder_model.hpp"
#include "vit.hpp"

namespace tapehead {

/// A ViT as an image task trains it: it reads an image's pixels, and its answer is the class.
struct ViTModel : EncoderModel {
  ViTModel(const ModelOptions& options, const PatchOptions& patches);
  const PatchOptions& patches() const { return static_cast<const ViT&>(*module).patches.options; }
  Index positions_seen() const override { return patches().tokens(); }
  /// `class` for the class token, and row and column of each patch: `2,0`.
  std::vector<std::string> position_names() const override;
  std::pair<Index, Index> ids_read() const override {
    return {patches().image.classes, patches().image.classes + patches().image.levels};
  }
};

/// `--arch vit`.
ArchitecturePart vit_part();

}  // namespace tapehead
