#pragma once
#include "architecture.hpp"

namespace tapehead {

/// A model that reads a question and predicts its whole answer at once: see TaskModel.
struct EncoderModel : TaskModel {
  explicit EncoderModel(const ModelOptions& options);
  /// Another module of the same kind: ids (examples, time) -> logits (examples, time, vocabulary),
  /// or pooled (examples, vocabulary).
  EncoderModel(const char* arch, const ModelOptions& options, std::unique_ptr<Module> module)
      : TaskModel(arch, options, std::move(module)) {}
  Batch batch(const std::vector<Example>& examples) const override;
  std::unique_ptr<Decoding> decode(const std::vector<std::vector<int>>& questions) const override;
};

}  // namespace tapehead
