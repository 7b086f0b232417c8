#pragma once
// The weights of a GPT-2 in a folder of the public hub.
#include "../../nn/parameters.hpp"
#include "../../train/safetensors/reader.hpp"

namespace tapehead {

struct HubName {
  std::string name;         ///< `h.0.attn.c_attn.weight`: without `transformer.`
  bool transposed = false;  ///< it is stored as (in, out): their Conv1D, where ours is a Linear
};

/// Of a GPT's parameter, `blocks.0.attention.qkv.weight`. Throws ValueError for a path that GPT-2
/// has no parameter for.
HubName hub_name(const std::string& path);

/// Whether a name is that of a causal mask, which older files have beside the parameters.
bool is_hub_mask(const std::string& name);

/// model.safetensors, or the files that model.safetensors.index.json names. Names are without
/// `transformer.`, which some files have.
class HubWeights {
 public:
  /// Throws FileError: where the folder has pickled weights only, with what converts them.
  explicit HubWeights(const std::string& folder);

  /// Whether there is a head beside the embedding that has other weights. Throws as load does.
  bool has_own_head() const;
  /// Gives a model's parameters their values, one after the other, so that no more than one is held
  /// twice. `tied` says that the head is the embedding. Of the rows of these two, one for each of
  /// the `vocabulary` tokens there, the model gets those with these `ids`. Throws FileError where a
  /// tensor is missing, or has another shape or type, or is none of a GPT-2's.
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

/// The parameters of a GPT under the names that transformers writes them with, and as it stores
/// them.
Safetensors hub_tensors(Module& model);

}  // namespace tapehead
