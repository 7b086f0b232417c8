#pragma once
// Classifies attention heads by the keys they attend to, over many examples.
#include "head_weights.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// The queries that count: all, those that predict the completion, or those in the second half of a
/// repeated random sequence.
enum class Rows { all, answer, repeated };

/// An attention pattern, which maps each query to a set of keys. A head follows it if these keys
/// have a high mean weight over examples.
struct Pattern {
  enum class Kind {  // in order of preference
    step,
    first,
    none,
    mirror,
    induction,
    duplicate,
    same,
    token,
    monotone,
    local
  };
  /// The kind, with its parameter: a distance, the constant c of an anti-diagonal, or a token.
  std::pair<Kind, Index> rule = {};
  std::string name;          ///< such as "previous token"
  double weight = 0;         ///< mean weight on the pattern's keys
  double low = 0, high = 0;  ///< 95 % confidence interval over examples
  /// Weight of these keys under uniform attention. For induction, duplicate and same token, the
  /// mean weight that queries with other tokens give to them, if that is more.
  double chance = 0;
  double share = 0;  ///< fraction of queries with at least half of their weight on these keys
  Index queries = 0;
  Rows rows = Rows::all;

  std::string title() const;  ///< such as "induction in answers"
};

/// Statistics of one head over many examples. The patterns, for a query at position i:
///   previous token, n back, next token, n ahead   the key at i - 1, i - n, i + 1, i + n
///   same position      the key at i
///   first token        the first key that is a token
///   no token           a key that isn't a token
///   anti-diagonal      the key at c - i, for a constant c
///   induction          the keys after an earlier occurrence of the query's token (Olsson et al.,
///                      "In-context Learning and Induction Heads"; on repeated sequences, this is
///                      their prefix-matching score)
///   duplicate token    the earlier keys with the query's token
///   same token         all keys with the query's token, if there are others than its own
///   token x            all keys with the token x, except the first key
///   monotone           with cross-attention, the key at the same relative position, and its
///                      neighbors
///   local              the key at i and the two on either side of it
/// Queries that see fewer than four keys don't count. A query counts for a pattern only if the
/// pattern has keys for it.
///
/// Heads that search for equal tokens attend to the first key, or to keys that aren't tokens, if
/// they find none, and partly if they find some (attention sinks).
class PatternTally {
 public:
  /// Adds the queries `rows` of an example. With Rows::repeated, they count only for the induction
  /// pattern.
  void add(const HeadWeights& example, Rows rows = Rows::all);

  /// Returns the pattern that the head follows for each kind of rows, if any. It needs 64 queries
  /// in 16 examples. At the low end of its interval, the weight must exceed chance by half of the
  /// remaining weight (1 - chance). Half of the queries must have at least half of their weight on
  /// these keys. A pattern with more keys must cover clearly more weight. Monotone and local are
  /// chosen only if no other pattern fits. n back, n ahead and the anti-diagonal need a quarter of
  /// all queries, at four positions. First token and no token need nine of ten queries, because
  /// a head that only rests there does so for fewer queries. For induction, duplicate and same
  /// token, the weight is divided by the weight that isn't at rest; without this division, it must
  /// exceed chance by a quarter of the remaining weight. `show` formats a token.
  std::vector<Pattern> held(const std::function<std::string(int token)>& show) const;

  /// Returns the mean weight on the keys of a pattern, which may be another head's; 0 if no query
  /// counts.
  double weight(const Pattern& pattern) const;

  /// Return the mean entropy over the examples in nats, and as a fraction of the entropy of uniform
  /// attention.
  double entropy() const { return entropy_ / static_cast<double>(std::max<Index>(examples_, 1)); }
  double evenness() const { return evenness_ / static_cast<double>(std::max<Index>(examples_, 1)); }

 private:
  using Kind = Pattern::Kind;
  using Rule = decltype(Pattern::rule);
  struct Local {  // sums within one example
    double weight = 0, chance = 0, rested = 0;
    Index queries = 0, half = 0, first = -1, last = -1;
  };
  struct Sum {
    double weight = 0, squares = 0, chance = 0, rested = 0;  // sums over examples
    Index examples = 0, queries = 0, half = 0, first = -1, last = -1;
    void add(const Local& local);
  };
  struct Example;
  static std::string name(const Rule& rule, bool cross,
                          const std::function<std::string(int)>& show);

  struct Sums {
    std::map<Rule, Sum> by_rule;
    Index queries = 0;  // number of queries that count
  };
  std::map<Rows, Sums> sums_;
  double entropy_ = 0, evenness_ = 0;
  Index examples_ = 0;
  bool cross_ = false;
};

}  // namespace tapehead
