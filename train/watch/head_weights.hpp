#pragma once
// The attention weights of one head over one example.
#include "../../core/shape.hpp"

namespace tapehead {

/// Row-major (queries, keys); each row sums to 1.
struct HeadWeights {
  Index queries = 0, keys = 0;
  std::vector<double> values;
  /// Whether the keys are of another sequence than the queries. Otherwise the last query is at the
  /// position of the last key: if there are fewer queries than keys, they are the last positions.
  bool cross = false;
  Index extra = 0;  ///< number of keys at the front that stand for no token
  /// The ids of the tokens; of keys that stand for none, -1. Empty where what is read are no
  /// tokens, but patches of an image.
  std::vector<int> query_ids = {}, key_ids = {};
  Index answer = 0;  ///< the first query whose prediction belongs to an answer

  double operator()(Index query, Index key) const {
    return values[static_cast<std::size_t>(query * keys + key)];
  }
  /// The key at the position of query 0: its own token, or in another sequence the key of the same
  /// number.
  Index first_place() const { return cross ? extra : keys - queries; }
  /// Whether no query attends to a later key; never true for another sequence.
  bool causal() const;
};

/// How evenly a head attends: the entropy of its weights in nats, the mean over its queries. 0
/// means that each query attends to a single key.
double entropy(const HeadWeights& weights);

}  // namespace tapehead
