#pragma once
// Reads and writes the weights of a GPT-2 model in a Hugging Face folder.
#include "../../nn/parameters.hpp"
#include "../../train/safetensors/reader.hpp"

namespace tapehead {

/// A parameter's name and layout in a Hugging Face file.
struct HubName {
  std::string name;  ///< name such as `h.0.attn.c_attn.weight`, without the prefix `transformer.`
  bool transposed = false;  ///< whether stored as (in, out), like Conv1D, instead of (out, in)
};

/// Returns the Hugging Face name of a GPT parameter such as `blocks.0.attention.qkv.weight`. Throws
/// ValueError if GPT-2 has no such parameter.
HubName hub_name(const std::string& path);

/// Returns whether a tensor with this name is a causal mask, which older files contain.
bool is_hub_mask(const std::string& name);

/// A reader of model.safetensors, or of the shards that model.safetensors.index.json lists. Strips
/// the prefix `transformer.` from names.
class HubWeights {
 public:
  /// Opens the files. Throws FileError if there are none; if the folder has pickled weights, the
  /// message says how to convert them.
  explicit HubWeights(const std::string& folder);

  /// Returns whether the file has an output head that differs from the embedding. Throws FileError
  /// like `load`.
  bool has_own_head() const;
  /// Loads the model's parameters one at a time, so that at most one is in memory twice. `tied`:
  /// the output head shares the embedding's weights. The file's embedding and head have
  /// `vocabulary` rows; `ids` selects the rows to load. Throws FileError if a tensor is missing,
  /// unknown, or has another shape or type.
  void load(Module& model, bool tied, Index vocabulary, const std::vector<int>& ids) const;

 private:
  struct Tensors {
    const SafetensorsReader* file;
    const SafetensorsReader::Entry* entry;
  };
  void open(const std::string& path);
  void open_shards(const std::string& index);
  const Tensors& find(const std::string& name) const;
  Tensor read(const HubName& name, Shape shape) const;

  std::string folder_;
  std::vector<std::unique_ptr<SafetensorsReader>> files_;
  std::map<std::string, Tensors> tensors_;
};

/// Returns the parameters of a GPT with the names and layouts of transformers.
Safetensors hub_tensors(Module& model);

}  // namespace tapehead
