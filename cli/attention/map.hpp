#pragma once
// The weights of attention layers over one input, from which every format is made.
#include "../../nn/pass.hpp"
#include "../../train/watch/patterns.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// One layer's weights over one input, independent of the model: the two axes may be different
/// sequences of different lengths.
struct AttentionMap {
  Index layer = 0;                         ///< counted in the order in which the model runs them
  std::string name;                        ///< for titles: layer 0
  std::string module;                      ///< its path in the model: blocks.0.attention
  std::vector<std::string> queries, keys;  ///< their tokens
  Tensor weights;                          ///< (heads, queries, keys)
  Index first_head = 0;                    ///< the number of the first of these heads
  bool cross = false;                      ///< as in HeadWeights
  Index extra = 0;                         ///< as in HeadWeights; the token of such a key is "+"
  std::vector<int> query_ids, key_ids;     ///< as in HeadWeights
  Index answer = 0;                        ///< as in HeadWeights
  /// Of each head that the model has in this layer, once they have been read: see heads.hpp.
  std::vector<std::vector<Pattern>> patterns;

  Index heads() const { return weights.dim(0); }
  HeadWeights head(Index i) const;   ///< i counts from 0, whatever first_head is
  std::string title(Index i) const;  ///< layer 0 head 1
  std::string rule(Index i) const;   ///< the head's patterns as text: 15 back 0.87
};

/// The maps of self-attention layers, one for each of `all`. Fewer queries than tokens are the last
/// ones; keys that stand for no token come first and are called "+". `ids` are those of the tokens,
/// if they are any. Throws Error if there are fewer keys than tokens, or more queries.
std::vector<AttentionMap> self_attention_maps(const std::vector<AttentionWeights>& all,
                                              const std::vector<std::string>& tokens,
                                              const std::vector<int>& ids = {});

/// One layer, one head, or all of them where the number is -1. Throws UsageError for a layer or
/// head that does not exist.
std::vector<AttentionMap> chosen(const std::vector<AttentionMap>& maps, Index layer, Index head);

/// Tokens as they are written on an axis: spaces and control characters as signs.
std::vector<std::string> labels(const std::vector<std::string>& tokens);

}  // namespace tapehead
