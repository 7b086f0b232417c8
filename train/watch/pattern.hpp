#pragma once
// The rule by which an attention head chooses its keys, where there is a simple one.
#include "../../core/shape.hpp"

namespace tapehead {

/// The attention weights of one head: row-major (queries, keys), each row sums to 1.
struct HeadWeights {
  Index queries = 0, keys = 0;
  std::vector<double> values;
  /// Whether the keys are of another sequence than the queries. Otherwise the last query is at the
  /// position of the last key: if there are fewer queries than keys, they are the last positions.
  bool cross = false;
  Index extra = 0;  ///< number of keys at the front that stand for no token
  /// The token of each key, equal numbers for equal tokens: without them, and for another sequence,
  /// induction can't be found.
  std::vector<int> tokens = {};

  double operator()(Index query, Index key) const { return values[query * keys + key]; }
  /// The key at the position of query 0: its own token, or in another sequence the key of the same
  /// number.
  Index first_place() const { return cross ? extra : keys - queries; }
  /// Whether no query attends to a later key; never true for another sequence.
  bool causal() const;
};

/// A rule that gives each query a key, and the mean weight on that key over the queries that have
/// one and also a choice.
struct Pattern {
  std::string name;
  double score = 0;
};
/// The rule that fits best, of
///   same token, previous token, 2 back, 3 back, ..., next token, 2 ahead, 3 ahead, ...
///     (of another sequence: same position, 1 back, ..., 1 ahead, ...),
///   first token, anti-diagonal, no token (a key that stands for none), and induction: what came
///     after the same token before (Olsson et al., "In-context Learning and Induction Heads"; the
///     weights on all such keys together).
/// Empty where no rule gets a mean weight of one half over at least two queries and a quarter of
/// all.
Pattern find_pattern(const HeadWeights& weights);

/// The least number of queries by which a head is given a name: in fewer, chance looks like a rule.
constexpr Index enough_to_name = 64;

/// How evenly a head attends: the entropy of its weights in nats, the mean over its queries. 0
/// means that each query attends to a single key.
double entropy(const HeadWeights& weights);

}  // namespace tapehead
