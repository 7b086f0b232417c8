#pragma once
// The attention weights of one head for one example.
#include "../../core/shape.hpp"

namespace tapehead {

/// The weights of a head, row-major (queries, keys); each row sums to 1.
struct HeadWeights {
  Index queries = 0, keys = 0;
  std::vector<double> values;
  /// True if keys and queries come from different sequences (cross-attention). If false, the last
  /// query and the last key have the same position. If there are fewer queries than keys, the
  /// queries are the last positions.
  bool cross = false;
  Index extra = 0;  ///< number of keys at the front that aren't tokens
  /// Token ids; -1 for keys that aren't tokens. Empty if the inputs aren't tokens, such as image
  /// patches.
  std::vector<int> query_ids = {}, key_ids = {};
  Index answer = 0;  ///< the first query whose prediction belongs to the completion

  double operator()(Index query, Index key) const {
    return values[static_cast<std::size_t>(query * keys + key)];
  }
  /// Returns the key at the position of query 0; with cross-attention, the first key that is a
  /// token.
  Index first_place() const { return cross ? extra : keys - queries; }
  /// Returns whether the head is causal: no query attends to a later key. False for
  /// cross-attention.
  bool causal() const;
};

/// Returns the entropy of a head's weights in nats, averaged over its queries. 0: each query
/// attends to a single key.
double entropy(const HeadWeights& weights);

}  // namespace tapehead
