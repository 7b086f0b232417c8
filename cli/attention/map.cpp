#include "map.hpp"
#include "../../core/ops.hpp"
#include "../terminal/terminal.hpp"
#include "heads.hpp"

namespace tapehead {
namespace {

void check_range(const char* option, Index value, const std::string& whose, Index count) {
  if (value < -1 || value >= count)
    throw UsageError("{} {}: out of range; {} has {}s 0 to {}", option, value, whose, option + 2,
                     count - 1);
}

}  // namespace

HeadWeights AttentionMap::head(Index i) const {
  const Tensor one = slice(weights, 0, i, i + 1);  // (1, queries, keys)
  return {one.dim(1), one.dim(2), one.values(), cross, extra, query_ids, key_ids, answer};
}

std::string AttentionMap::title(Index i) const {
  return fmt::format("{} head {}", name, first_head + i);
}

std::string AttentionMap::rule(Index i) const {
  return patterns.empty() ? "" : describe(patterns[first_head + i]);
}

std::vector<AttentionMap> self_attention_maps(const std::vector<AttentionWeights>& all,
                                              const std::vector<std::string>& tokens,
                                              const std::vector<int>& ids) {
  std::vector<AttentionMap> maps;
  const auto count = static_cast<Index>(tokens.size());
  for (const auto& [module, weights] : all) {  // (1, heads, queries, keys)
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
    append(map.keys, tokens);
    map.queries.assign(tokens.end() - queries, tokens.end());
    if (!ids.empty()) {
      map.key_ids.assign(map.extra, -1);
      append(map.key_ids, ids);
      map.query_ids.assign(ids.end() - queries, ids.end());
    }
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

}  // namespace tapehead
