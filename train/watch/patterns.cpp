#include "patterns.hpp"
#include "../../core/kernels/functions/logarithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index few_keys = 4;  // with fewer keys, uniform attention looks like a pattern
constexpr Index enough_queries = 64, enough_examples = 16, enough_positions = 4;
constexpr Index enough_share = 4;  // some patterns need a quarter of all queries
constexpr double enough_gain = 0.5, enough_gain_with_rest = 0.25;
constexpr double constant_share = 0.9;  // share of queries for a head that always rests

}  // namespace

/// The weight that one example's queries give to the keys of each pattern.
struct PatternTally::Example {
  const HeadWeights& head;
  const bool causal = head.causal();
  const bool tokens = !head.key_ids.empty();
  std::vector<int> known = {};                // distinct token ids of the keys
  std::vector<Index> number = {};             // index of each key's token in `known`
  std::vector<Local> steps, sums, of_tokens;  // indexed by distance, by sum of positions, by token
  std::map<Kind, Local> others = {};
  Index queries = 0;                    // number of queries that count
  std::vector<double> control[2] = {};  // other_queries by lag and key

  explicit Example(const HeadWeights& weights)
      : head(weights),
        steps(head.keys + std::max(head.keys, head.queries)),
        sums(head.keys + head.queries) {
    if (!tokens) return;
    for (Index lag : {0, 1})
      for (Index key = 0; key < head.keys; ++key) control[lag].push_back(other_queries(key, lag));
    known = head.key_ids;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (int id : head.key_ids)
      number.push_back(std::lower_bound(known.begin(), known.end(), id) - known.begin());
    of_tokens.resize(known.size());
  }

  /// Returns the mean weight of a key for queries whose token differs from the token `lag` before
  /// the key; 0 if there are none.
  double other_queries(Index key, Index lag) const {
    if (key - lag < head.extra) return 0;
    double weight = 0;
    Index count = 0;
    for (Index query = 0; query < head.queries; ++query) {
      const Index own = query + head.first_place();
      if (head.query_ids[query] == head.key_ids[key - lag]) continue;
      if (!head.cross && (own == head.extra || (causal && own < key))) continue;
      weight += head(query, key), ++count;
    }
    return weight / static_cast<double>(std::max<Index>(count, 1));
  }

  /// Adds the weight that `query` gives to some keys, its chance, and the weight on other keys that
  /// doesn't count.
  static void count(Local& local, Index query, double weight, double chance, double rested = 0) {
    local.weight += weight;
    local.chance += chance;
    local.rested += rested;
    ++local.queries;
    local.half += weight >= 0.5 * (1 - rested);
    if (local.first < 0) local.first = query;
    local.last = query;
  }
  /// Adds the keys in [low, high) for which `chosen` is true, if there are any.
  template <class Chosen>
  void count_some(Kind kind, Index query, Index low, Index high, Index seen, const Chosen& chosen) {
    double weight = 0;
    Index keys = 0;
    for (Index key = low; key < high; ++key)
      if (chosen(key)) weight += head(query, key), ++keys;
    if (keys > 0) count(others[kind], query, weight, share(keys, seen));
  }
  static double share(Index keys, Index seen) {
    return static_cast<double>(keys) / static_cast<double>(seen);
  }
  /// Adds the keys in [low, high) whose token, or with `lag` 1 the token before it, is the query's.
  /// If there are fewer than `least`, the query doesn't count.
  void count_equal(Kind kind, Index query, Index low, Index high, Index seen, Index lag,
                   Index least = 1) {
    double weight = 0, control_weight = 0, rested = 0;
    Index keys = 0;
    for (Index key = 0; key < seen; ++key) {
      if (key >= low && key < high && head.key_ids[key - lag] == head.query_ids[query])
        weight += head(query, key), control_weight += control[lag][key], ++keys;
      else if (key < std::max<Index>(head.extra, 1))
        rested += head(query, key);
    }
    if (keys < least) return;
    count(others[kind], query, weight, std::max(share(keys, seen), control_weight), rested);
  }

  void positions(Index query, Index own, Index seen) {
    const Index extra = head.extra;
    for (Index key = extra; key < seen; ++key) {
      count(steps[own - key + head.keys - 1 - extra], query, head(query, key), share(1, seen));
      count(sums[query + key], query, head(query, key), share(1, seen));
    }
    if (head.cross || own != extra)  // a query at the first token has no other key
      count(others[Kind::first], query, head(query, extra), share(1, seen));
    const auto all = [](Index) { return true; };
    count_some(Kind::none, query, 0, extra, seen, all);
    if (head.cross && head.queries > 1) {
      const double along = static_cast<double>(query) / static_cast<double>(head.queries - 1);
      const Index centre = extra + std::lround(along * static_cast<double>(head.keys - extra - 1));
      count_some(Kind::monotone, query, std::max(extra, centre - 1), std::min(seen, centre + 2),
                 seen, all);
    }
    if (!head.cross && seen - extra >= 2 * few_keys)
      count_some(Kind::local, query, std::max(extra, own - 2), std::min(seen, own + 3), seen, all);
  }

  void by_tokens(Index query, Index own, Index seen) {
    count_equal(Kind::same, query, head.extra, seen, seen, 0, head.cross ? 1 : 2);
    if (!head.cross) count_equal(Kind::duplicate, query, head.extra, own, seen, 0);
    std::vector<double> weight(known.size());
    std::vector<Index> keys(known.size());
    for (Index key = head.extra + 1; key < seen; ++key) {
      weight[number[key]] += head(query, key);
      ++keys[number[key]];
    }
    for (std::size_t i = 0; i < known.size(); ++i)
      if (keys[i] > 0) count(of_tokens[i], query, weight[i], share(keys[i], seen));
  }

  void read(Index from, bool only_induction) {
    for (Index query = from; query < head.queries; ++query) {
      const Index own = query + head.first_place(), seen = causal ? own + 1 : head.keys;
      if (seen < few_keys) continue;
      ++queries;
      if (tokens && !head.cross) count_equal(Kind::induction, query, head.extra + 1, own, seen, 1);
      if (only_induction) continue;
      positions(query, own, seen);
      if (tokens) by_tokens(query, own, seen);
    }
  }
};

std::string Pattern::title() const {
  return name + (rows == Rows::answer     ? " in answers"
                 : rows == Rows::repeated ? " on repeats"
                                          : "");
}

void PatternTally::Sum::add(const Local& local) {
  if (local.queries == 0) return;
  const double mean = local.weight / static_cast<double>(local.queries);
  weight += mean;
  squares += mean * mean;
  chance += local.chance / static_cast<double>(local.queries);
  rested += local.rested / static_cast<double>(local.queries);
  ++examples;
  queries += local.queries;
  half += local.half;
  first = first < 0 ? local.first : std::min(first, local.first);
  last = std::max(last, local.last);
}

void PatternTally::add(const HeadWeights& weights, Rows rows) {
  Example example(weights);
  const Index from = rows == Rows::answer     ? weights.answer
                     : rows == Rows::repeated ? weights.queries / 2
                                              : 0;
  example.read(from, rows == Rows::repeated);
  std::map<Rule, Sum>& sums = sums_[rows].by_rule;
  sums_[rows].queries += example.queries;
  const Index last_step = weights.keys - 1 - weights.extra;
  for (std::size_t i = 0; i < example.steps.size(); ++i)
    if (example.steps[i].queries > 0)
      sums[{Kind::step, static_cast<Index>(i) - last_step}].add(example.steps[i]);
  for (std::size_t i = 0; i < example.sums.size(); ++i)
    if (example.sums[i].queries > 0)
      sums[{Kind::mirror, static_cast<Index>(i)}].add(example.sums[i]);
  for (std::size_t i = 0; i < example.known.size(); ++i)
    if (example.of_tokens[i].queries > 0)
      sums[{Kind::token, example.known[i]}].add(example.of_tokens[i]);
  for (const auto& [kind, local] : example.others) sums[{kind, 0}].add(local);
  if (rows != Rows::all) return;
  cross_ = weights.cross;
  const double nats = tapehead::entropy(weights);
  double most = 0;  // entropy of uniform weights
  for (Index query = 0; query < weights.queries; ++query)
    most += kernel::log(
        static_cast<double>(example.causal ? query + weights.first_place() + 1 : weights.keys));
  most /= static_cast<double>(std::max<Index>(weights.queries, 1));
  entropy_ += nats;
  evenness_ += most > 0 ? nats / most : 0;
  ++examples_;
}

std::string PatternTally::name(const Rule& rule, bool cross,
                               const std::function<std::string(int)>& show) {
  const auto& [kind, number] = rule;
  switch (kind) {
    case Kind::step:
      if (number == 0) return "same position";
      if (number == 1 && !cross) return "previous token";
      if (number == -1 && !cross) return "next token";
      return number > 0 ? fmt::format("{} back", number) : fmt::format("{} ahead", -number);
    case Kind::first:
      return "first token";
    case Kind::none:
      return "no token";
    case Kind::mirror:
      return "anti-diagonal";
    case Kind::induction:
      return "induction";
    case Kind::duplicate:
      return "duplicate token";
    case Kind::same:
      return "same token";
    case Kind::token:
      return "token " + show(static_cast<int>(number));
    case Kind::monotone:
      return "monotone";
    case Kind::local:
      return "local";
  }
  return "";
}

double PatternTally::weight(const Pattern& pattern) const {
  const auto sums = sums_.find(pattern.rows);
  if (sums == sums_.end()) return 0;
  const auto found = sums->second.by_rule.find(pattern.rule);
  if (found == sums->second.by_rule.end()) return 0;
  return found->second.weight / static_cast<double>(found->second.examples);
}

std::vector<Pattern> PatternTally::held(const std::function<std::string(int)>& show) const {
  std::vector<Pattern> result;
  for (const auto& [rows, sums] : sums_) {
    Pattern best;
    double best_gain = 0;
    for (const auto& [rule, sum] : sums.by_rule) {
      const Kind kind = rule.first;
      if (sum.queries < enough_queries || sum.examples < enough_examples) continue;
      if ((kind == Kind::step || kind == Kind::mirror) &&
          (sum.last - sum.first + 1 < enough_positions ||
           sum.queries * enough_share < sums.queries))
        continue;
      const auto n = static_cast<double>(sum.examples);
      const double mean = sum.weight / n, chance = sum.chance / n;
      const double variance = std::max(0.0, (sum.squares - n * mean * mean) / (n - 1));
      const double spread = 1.96 * std::sqrt(variance / n);
      const double share = static_cast<double>(sum.half) / static_cast<double>(sum.queries);
      const double least_gain = (mean - spread - chance) / (1 - chance);
      const double gain = ((mean - spread) / (1 - sum.rested / n) - chance) / (1 - chance);
      if (kind >= Kind::monotone && best_gain > 0) continue;
      if ((kind == Kind::first || kind == Kind::none) && share < constant_share) continue;
      const double margin = kind <= Kind::mirror && kind != Kind::none ? 1e-3 : 0.05;
      if (!(gain >= enough_gain && least_gain >= enough_gain_with_rest && share >= 0.5 &&
            gain > best_gain + margin))
        continue;
      best = {rule,
              name(rule, cross_, show),
              mean,
              std::max(mean - spread, 0.0),
              std::min(mean + spread, 1.0),
              chance,
              share,
              sum.queries,
              rows};
      best_gain = gain;
    }
    const bool known = !result.empty() && result[0].name == best.name;
    if (!best.name.empty() && !known) result.push_back(best);
  }
  return result;
}

}  // namespace tapehead
