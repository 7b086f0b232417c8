#pragma once
// The rule by which an attention head looks, where there is a plain one.
#include "../../core/shape.hpp"

namespace tapehead {

/// What one head looks at: row-major (queries, keys), each row a share of 1.
struct HeadWeights {
  Index queries = 0, keys = 0;
  std::vector<double> values;
  /// The keys are another sequence than the queries. Otherwise the last query stands at the last
  /// key: with fewer queries than keys, they are the last places.
  bool cross = false;
  Index extra = 0;  ///< so many keys at the front stand for no token
  /// Equal numbers for equal tokens, of each key: without them, or of another sequence, there is no
  /// induction to be found.
  std::vector<int> tokens = {};

  double operator()(Index query, Index key) const {
    return values[static_cast<std::size_t>(query * keys + key)];
  }
  /// The key of query 0: of the same token, or, of another sequence, of the same number.
  Index first_place() const { return cross ? extra : keys - queries; }
  /// Whether no query looks at what comes after it; never of another sequence.
  bool causal() const;
};

/// A rule by which a query finds a key, and the mean weight on that key over the queries that have
/// one and a choice.
struct Pattern {
  std::string name;
  double score = 0;
};
/// The rule that fits best, of
///   same token, previous token, 2 back, 3 back, ..., next token, 2 ahead, 3 ahead, ...
///     (of another sequence: same place, 1 back, ..., 1 ahead, ...),
///   first token, anti-diagonal, no token (a key that stands for none), and induction: what came
///     after the same token before (Olsson et al., "In-context Learning and Induction Heads"; the
///     weights on all such keys together).
/// Nothing where none gets a mean weight of one half, from two queries and a quarter of them.
Pattern find_pattern(const HeadWeights& weights);

/// How evenly a head looks around, in nats, the mean over its queries: 0 is at one key alone.
double entropy(const HeadWeights& weights);

}  // namespace tapehead
