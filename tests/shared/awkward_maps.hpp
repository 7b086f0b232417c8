#pragma once
// Attention maps that combine edge cases: tokens that are markup, cross-attention, a key without a
// token, and known weights.
#include "../../cli/attention/map.hpp"
#include "../../core/ops.hpp"

#include <limits>

namespace tapehead {

inline const std::vector<std::string> awkward_tokens = {"<", "&",  "\"",        "\n",
                                                        " ", "\\", "</script>", "\xff"};

/// Layer 0 has two heads over awkward_tokens: head 0 attends to its own token, head 1 uniformly to
/// all visible tokens. Layer 1 has one head with two queries, two other keys, and one key without a
/// token.
inline std::vector<AttentionMap> awkward_maps() {
  const auto count = static_cast<Index>(awkward_tokens.size());
  std::vector<double> same, even;
  for (Index query = 0; query < count; ++query)
    for (Index key = 0; key < count; ++key) {
      same.push_back(key == query ? 1 : 0);
      even.push_back(key <= query ? 1.0 / static_cast<double>(query + 1) : 0);
    }
  same.insert(same.end(), even.begin(), even.end());
  AttentionMap self;
  self.name = "layer 0";
  self.module = "blocks.0.attention";
  self.queries = self.keys = awkward_tokens;
  self.weights = tensor(same, {2, count, count});

  AttentionMap cross;
  cross.layer = 1;
  cross.name = "layer 1";
  cross.module = "decoder.<b>.cross";
  cross.queries = {"<img src=x onerror=alert(1)>", "b"};
  cross.keys = {"+", "x", "y"};
  cross.weights = tensor({0.25, 0.5, 0.25, 0, 0.1, 0.9}, {1, 2, 3});
  cross.cross = true;
  cross.extra = 1;
  return {self, cross};
}

}  // namespace tapehead
