#include "pattern.hpp"
#include "../../core/kernels/functions/logarithms.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// The name for attending to the key so many positions back, or ahead if `back` is negative.
std::string step_name(Index back, bool cross) {
  if (back == 0) return cross ? "same position" : "same token";
  if (back == 1 && !cross) return "previous token";
  if (back == -1 && !cross) return "next token";
  return back > 0 ? fmt::format("{} back", back) : fmt::format("{} ahead", -back);
}

/// The total weight on the keys that follow an earlier occurrence of the query's own token;
/// negative where there are none. The query's own key doesn't count.
double after_the_same(const HeadWeights& weights, Index query) {
  const Index own = query + weights.first_place();
  const auto token = [&](Index key) { return weights.tokens[key]; };
  double total = 0;
  bool any = false;
  for (Index key = weights.extra + 1; key < own; ++key) {
    if (token(key - 1) != token(own)) continue;
    total += weights(query, key);
    any = true;
  }
  return any ? total : -1;
}

/// The mean of that weight over the queries that have such keys; 0 if fewer than two have.
double induction_score(const HeadWeights& weights) {
  if (weights.cross || static_cast<Index>(weights.tokens.size()) != weights.keys) return 0;
  double total = 0;
  Index count = 0;
  for (Index query = 0; query < weights.queries; ++query) {
    const double weight = after_the_same(weights, query);
    if (weight < 0) continue;
    total += weight;
    ++count;
  }
  return count < 2 ? 0 : total / static_cast<double>(count);
}

}  // namespace

bool HeadWeights::causal() const {
  if (cross) return false;
  for (Index query = 0; query < queries; ++query)
    for (Index key = query + first_place() + 1; key < keys; ++key)
      if ((*this)(query, key) != 0) return false;
  return true;
}

Pattern find_pattern(const HeadWeights& weights) {
  const Index queries = weights.queries, keys = weights.keys;
  const Index offset = weights.first_place();  // query i is at the position of key i + offset
  const bool causal = weights.causal();
  const Index enough = std::max<Index>(2, queries / 4);
  // A query that can see only one key has no choice, and doesn't count.
  const Index first = causal && offset == 0 ? 1 : 0;

  Pattern best;
  // Tries the rule key(query), where the key is from low to high - 1 and visible to a causal query.
  const auto consider = [&](const std::string& name, Index low, Index high, auto key) {
    double total = 0;
    Index count = 0;
    for (Index query = first; query < queries; ++query) {
      const Index k = key(query);
      if (k < low || k >= high || (causal && k > query + offset)) continue;
      total += weights(query, k);
      ++count;
    }
    const double score = count < enough ? 0 : total / static_cast<double>(count);
    if (score >= 0.5 && score > best.score + 1e-3) best = {name, score};
  };

  const auto step = [&](Index back) {
    consider(step_name(back, weights.cross), weights.extra, keys,
             [=](Index query) { return query + offset - back; });
  };
  for (Index back = 0; back < keys + queries; ++back) step(back);
  for (Index ahead = 1; !causal && ahead < keys + queries; ++ahead) step(-ahead);
  // The first token's own query doesn't count towards attending to the first token.
  consider("first token", weights.extra, keys, [&](Index query) {
    return weights.cross || query + offset > weights.extra ? weights.extra : -1;
  });
  for (Index key = 0; key < weights.extra; ++key)
    consider("no token", 0, weights.extra, [=](Index) { return key; });
  for (Index total = 0; total < keys + queries; ++total)
    consider("anti-diagonal", weights.extra, keys, [=](Index query) { return total - query; });
  const double induction = induction_score(weights);
  if (induction >= 0.5 && induction > best.score + 1e-3) best = {"induction", induction};
  return best;
}

double entropy(const HeadWeights& weights) {
  double sum = 0;
  for (double p : weights.values)
    if (p != 0) sum -= p * kernel::log(p);
  return sum / static_cast<double>(std::max<Index>(weights.queries, 1));
}

}  // namespace tapehead
