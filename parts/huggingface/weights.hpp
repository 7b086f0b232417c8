#pragma once
// Reads and writes the weights of a GPT-2 model in a Hugging Face folder.
#include "../../nn/parameters.hpp"
#include "../../train/safetensors/reader.hpp"

namespace tapehead {

/// The name and layout of a parameter in a Hugging Face file.
struct HubName {
  std::string name;         ///< without the prefix `transformer.`: `h.0.attn.c_attn.weight`
  bool transposed = false;  ///< stored as (in, out), as Conv1D does, instead of (out, in)
};

/// Returns the Hugging Face name of a GPT parameter such as `blocks.0.attention.qkv.weight`. Throws
/// ValueError if GPT-2 has no such parameter.
HubName hub_name(const std::string& path);

/// Returns whether this is the name of a causal mask, which older files store with the parameters.
bool is_hub_mask(const std::string& name);

/// A reader of model.safetensors, or of the shards that model.safetensors.index.json lists. Strips
/// the prefix `transformer.` from names.
class HubWeights {
 public:
  /// Throws FileError if the folder has only pickled weights; the message says how to convert them.
  explicit HubWeights(const std::string& folder);

  /// Returns whether the file has an output head that differs from the embedding. Throws as load
  /// does.
  bool has_own_head() const;
  /// Loads the model's parameters one at a time, so that at most one is in memory twice. `tied`
  /// says whether the output head is the embedding. The file has `vocabulary` rows for the
  /// embedding and the head; `ids` selects the rows to load. Throws FileError if a tensor is
  /// missing, unknown, or has another shape or type.
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

/// Returns the parameters of a GPT with the names and the layout that transformers uses.
Safetensors hub_tensors(Module& model);

}  // namespace tapehead
