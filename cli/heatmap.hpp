#pragma once
// What one attention head looks at, drawn in characters.
#include <tapehead/cli/terminal.hpp>

#include <cstdint>

namespace tapehead {

/// A head's weights: row-major (queries, keys), each row a share of 1. The last query stands at the
/// last key.
struct HeadWeights {
  std::int64_t queries = 0, keys = 0;
  std::vector<double> values;

  double operator()(std::int64_t query, std::int64_t key) const {
    return values[static_cast<std::size_t>(query * keys + key)];
  }
};

/// A rule by which a query finds a key, and the mean weight on that key over the queries that have
/// one and a choice.
struct Pattern {
  std::string name;
  double score = 0;
};
/// The rule that fits best, of: same token, previous token, 2 back, 3 back, ..., first token,
/// anti-diagonal. Nothing where none gets a mean weight of one half.
Pattern find_pattern(const HeadWeights& weights);

/// Queries down, keys across, one cell a weight; tokens beside and above. Where the keys don't fit
/// the width, several share a cell, and a line says so.
std::string heatmap(const HeadWeights& weights, const std::vector<std::string>& tokens,
                    const Terminal& terminal);

}  // namespace tapehead
