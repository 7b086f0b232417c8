#include "map.hpp"
#include "../../core/ops.hpp"
#include "../terminal/terminal.hpp"

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

void check_range(const char* option, Index value, const std::string& whose, Index count) {
  if (value < -1 || value >= count)
    throw UsageError("{} {}: {} has 0 to {}", option, value, whose, count - 1);
}

/// Equal numbers for equal tokens.
std::vector<int> numbered(const std::vector<std::string>& tokens) {
  std::map<std::string, int> known;
  std::vector<int> numbers;
  for (const std::string& token : tokens)
    numbers.push_back(known.try_emplace(token, static_cast<int>(known.size())).first->second);
  return numbers;
}

}  // namespace

HeadWeights AttentionMap::head(Index i) const {
  const Tensor one = slice(weights, 0, i, i + 1);  // (1, queries, keys)
  return {one.dim(1), one.dim(2), one.values(), cross, extra, numbered(keys)};
}

std::string AttentionMap::title(Index i) const {
  return fmt::format("{} head {}", name, first_head + i);
}

std::vector<AttentionMap> self_attention_maps(const std::vector<Pass::Captured>& captured,
                                              const std::vector<std::string>& tokens) {
  std::vector<AttentionMap> maps;
  const auto count = static_cast<Index>(tokens.size());
  for (const auto& [module, weights] : captured) {  // (1, heads, queries, keys)
    const Index heads = weights.dim(1), queries = weights.dim(2), keys = weights.dim(3);
    if (keys < count || queries > count)
      throw Error("attention: {} has {} queries and {} keys, for {} tokens", module, queries, keys,
                  count);
    AttentionMap map;
    map.layer = static_cast<Index>(maps.size());
    map.name = fmt::format("layer {}", map.layer);
    map.module = module;
    map.weights = reshape(weights, {heads, queries, keys});
    map.extra = keys - count;
    map.keys.assign(map.extra, "+");
    map.keys.insert(map.keys.end(), tokens.begin(), tokens.end());
    map.queries.assign(tokens.end() - queries, tokens.end());
    maps.push_back(std::move(map));
  }
  return maps;
}

std::vector<AttentionMap> chosen(const std::vector<AttentionMap>& maps, Index layer, Index head) {
  check_range("--layer", layer, "the model", static_cast<Index>(maps.size()));
  std::vector<AttentionMap> result;
  for (const AttentionMap& map : maps) {
    if (layer >= 0 && map.layer != layer) continue;
    check_range("--head", head, map.name, map.heads());
    result.push_back(map);
    if (head < 0) continue;
    result.back().weights = slice(map.weights, 0, head, head + 1);
    result.back().first_head = head;
  }
  return result;
}

std::vector<std::string> labels(const std::vector<std::string>& tokens) {
  std::vector<std::string> result;
  for (const std::string& token : tokens) result.push_back(label(token));
  return result;
}

Pattern named_pattern(const HeadWeights& weights) {
  return weights.queries < enough_to_name ? Pattern() : find_pattern(weights);
}

std::string why_unnamed(const HeadWeights& weights) {
  if (weights.queries >= enough_to_name) return "";
  return "unnamed: only " + plural(weights.queries, "row");
}

std::string describe(const HeadWeights& weights) {
  const Pattern pattern = named_pattern(weights);
  return pattern.name.empty() ? why_unnamed(weights)
                              : fmt::format("{} {:.2f}", pattern.name, pattern.score);
}

}  // namespace tapehead
