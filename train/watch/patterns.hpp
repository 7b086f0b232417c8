#pragma once
// The rules by which an attention head chooses its keys, as far as many examples bear them out.
#include "head_weights.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// Which queries are looked at: all of an example; those whose predictions are its answer; or those
/// in the second half of a random sequence that is read twice.
enum class Rows { all, answer, repeated };

/// A rule gives a query some of the keys that it can see. That a head follows it is said of the
/// mean weight on these keys, over examples.
struct Pattern {
  enum class Kind {  // in the order in which they are preferred
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
  /// Which rule: the kind, and its step, its sum of positions, or its token.
  std::pair<Kind, Index> rule = {};
  std::string name;          ///< previous token
  double weight = 0;         ///< the mean
  double low = 0, high = 0;  ///< its 95 % interval, by the spread over examples
  double chance = 0;         ///< the weight that these keys get where all get the same
  double share = 0;          ///< of the queries that give them at least half of their weight
  Index queries = 0;
  Rows rows = Rows::all;

  std::string title() const;  ///< induction in answers
};

/// What one head does over many examples. The rules, for a query at position i, are
///   previous token, n back, next token, n ahead   the key at i - 1, i - n, i + 1, i + n
///   same position      the key at i
///   first token        the first key that stands for a token
///   no token           a key that stands for none
///   anti-diagonal      the key at c - i, for one c
///   induction          the keys after an earlier occurrence of the query's own token (Olsson et
///                      al., "In-context Learning and Induction Heads"; of repeated sequences, this
///                      is their prefix-matching score)
///   duplicate token    the earlier keys with the query's token
///   same token         all keys with the query's token, where there is one besides its own
///   token x            all keys with the token x
///   monotone           in another sequence, the key that is as far along as the query, or one
///                      beside it
///   local              the key at i and the two on either side of it.
/// Queries that see fewer than four keys count for no rule, and a query counts for a rule if it
/// gives it keys.
class PatternTally {
 public:
  /// Of repeated sequences only the queries of the second half count, and only for induction.
  void add(const HeadWeights& example, Rows rows = Rows::all);

  /// The rule that the head follows over each kind of rows, if it follows one: over at least 64
  /// queries of 16 examples, the weight on its keys makes up for at least half of what chance
  /// leaves, at the lower end of its interval, and half of the queries give them half of their
  /// weight. A rule that gives more keys than another has to explain clearly more, and monotone and
  /// local are said where no other holds; n back, n ahead and the anti-diagonal need a quarter of
  /// all queries, at four positions. `show` writes a token.
  std::vector<Pattern> held(const std::function<std::string(int token)>& show) const;

  /// The mean weight on the keys of a pattern's rule, of this head or of another; 0 where no query
  /// counted for it.
  double weight(const Pattern& pattern) const;

  /// In nats, the mean over the examples; and the same as a share of what equal weights have.
  double entropy() const { return entropy_ / static_cast<double>(std::max<Index>(examples_, 1)); }
  double evenness() const { return evenness_ / static_cast<double>(std::max<Index>(examples_, 1)); }

 private:
  using Kind = Pattern::Kind;
  using Rule = decltype(Pattern::rule);
  struct Local {  // of one example
    double weight = 0, chance = 0;
    Index queries = 0, half = 0, first = -1, last = -1;
  };
  struct Sum {
    double weight = 0, squares = 0, chance = 0;  // over examples
    Index examples = 0, queries = 0, half = 0, first = -1, last = -1;
    void add(const Local& local);
  };
  struct Example;
  static std::string name(const Rule& rule, bool cross,
                          const std::function<std::string(int)>& show);

  struct Sums {
    std::map<Rule, Sum> by_rule;
    Index queries = 0;  // that count
  };
  std::map<Rows, Sums> sums_;
  double entropy_ = 0, evenness_ = 0;
  Index examples_ = 0;
  bool cross_ = false;
};

}  // namespace tapehead
