#pragma once
// Attention weights of all layers for one input.
#include "../../nn/pass.hpp"
#include "../../train/watch/patterns.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The attention weights of one layer for one input. Queries and keys may be different sequences.
struct AttentionMap {
  Index layer = 0;                         ///< in execution order
  std::string name;                        ///< name of the layer in titles: layer 0
  std::string module;                      ///< the layer's path in the model: blocks.0.attention
  std::vector<std::string> queries, keys;  ///< tokens of the queries and keys
  Tensor weights;                          ///< (heads, queries, keys)
  Index first_head = 0;                    ///< number of the first head
  bool cross = false;                      ///< as in HeadWeights
  Index extra = 0;                         ///< as in HeadWeights; the token of such a key is "+"
  std::vector<int> query_ids, key_ids;     ///< as in HeadWeights
  Index answer = 0;                        ///< as in HeadWeights
  /// Patterns of each head in this layer, set by set_patterns; see heads.hpp.
  std::vector<std::vector<Pattern>> patterns;

  Index heads() const { return weights.dim(0); }
  HeadWeights head(Index i) const;   ///< i counts from 0, regardless of first_head
  std::string title(Index i) const;  ///< returns `layer 0 head 1`
  std::string rule(Index i) const;   ///< returns the head's patterns: `15 back 0.87`
};

/// Makes a map for each self-attention layer. If there are fewer queries than tokens, they are the
/// last ones. Keys without a token come first and are labelled "+". `ids` are the token ids, if
/// any. Throws Error for fewer keys, or more queries, than tokens.
std::vector<AttentionMap> self_attention_maps(const std::vector<AttentionWeights>& all,
                                              const std::vector<std::string>& tokens,
                                              const std::vector<int>& ids = {});

/// Returns the maps of one layer and head; -1 selects all. Throws UsageError if they don't exist.
std::vector<AttentionMap> chosen(const std::vector<AttentionMap>& maps, Index layer, Index head);

/// Returns tokens as axis labels, with symbols for spaces and control characters.
std::vector<std::string> labels(const std::vector<std::string>& tokens);

}  // namespace tapehead
