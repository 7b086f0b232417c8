#include "../data/option_limits.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

namespace tapehead {
namespace {

/// Returns n different numbers below `below`, in random order.
std::vector<int> different(Random& random, Index n, Index below) {
  std::vector<int> all(below);
  std::iota(all.begin(), all.end(), 0);
  for (Index i = 0; i < n; ++i)
    std::swap(all[i], all[i + random.below(below - i)]);  // Fisher-Yates shuffle
  all.resize(n);
  return all;
}

/// The validation prompts: for each sequence of key-value pairs, the keys queried after it.
using Questions = std::map<std::vector<int>, std::set<int>>;

/// Returns for example `a 3 k 0 ... q 7 k`, then `0`: different keys with values, one of the keys
/// again, then its value. With more queries, more keys and values follow. Keys can't be predicted,
/// so they aren't targets, and neither are values of validation queries.
Example pairs_and_queries(Random& random, Index pairs, Index queries, Index kinds,
                          const Questions& held_out = {}) {
  const std::vector<int> keys = different(random, pairs, kinds);
  const std::vector<int> values = random_tokens(random, pairs, kinds);
  Example example{{}, 2 * pairs + 1};
  const auto add = [&](int pair) {
    example.tokens.push_back(static_cast<int>(kinds) + keys[pair]);
    example.tokens.push_back(values[pair]);
  };
  for (int pair = 0; pair < pairs; ++pair) add(pair);
  const auto known = held_out.find(example.tokens);
  for (int pair : different(random, queries, pairs)) {
    add(pair);
    const auto position = static_cast<Index>(example.tokens.size()) - 1;
    const bool is_held_out =
        known != held_out.end() && known->second.count(example.tokens[position - 1]) > 0;
    if (queries > 1 && !is_held_out) example.target_positions.push_back(position);
  }
  return example;
}

/// Returns whether the tokens are a prompt: different keys with values, then one of the keys.
bool are_pairs_and_query(const std::vector<int>& tokens, Index pairs, Index kinds) {
  if (static_cast<Index>(tokens.size()) != 2 * pairs + 1) return false;
  std::set<int> keys;
  for (Index pair = 0; pair < pairs; ++pair) {
    const int key = tokens[2 * pair], value = tokens[2 * pair + 1];
    if (is_below(key, kinds) || !is_below(value, kinds) || !keys.insert(key).second) return false;
  }
  return keys.count(tokens.back()) > 0;
}

constexpr Index most_spelled = 18;  // keys and as many values, each one of 36 characters

/// Returns the names of values, then keys: characters, or v0 and k0 if there are too many.
std::vector<std::string> names_of(Index kinds) {
  if (kinds <= most_spelled) return characters(first_symbols(2 * kinds));
  std::vector<std::string> names;
  for (const char letter : {'v', 'k'})
    for (Index i = 0; i < kinds; ++i) names.push_back(fmt::format("{}{}", letter, i));
  return names;
}

std::unique_ptr<Task> make_recall(const TaskOptions& options) {
  constexpr Index most_pairs = 256;
  const Index kinds = whole_option(options, "symbols", 4, 4096);
  const Index pairs = whole_option(
      options, "pairs", 2, kinds < most_pairs ? OptionLimit(kinds, "--symbols") : most_pairs);
  const std::vector<std::string> names = names_of(kinds);
  SequenceRules rules{"recall", names,
                      [=](Random& random) { return pairs_and_queries(random, pairs, 1, kinds); }};
  // The hash of a training example's first query separates it from validation examples. The other
  // queries are compared with the validation queries.
  const auto held_out = std::make_shared<Questions>();
  const Sequences one_query(rules);
  for (Index number = 0; number < one_query.held_out_size(); ++number) {
    const std::vector<int> tokens = held_out_example(one_query, number).tokens;
    (*held_out)[{tokens.begin(), tokens.begin() + 2 * pairs}].insert(tokens[2 * pairs]);
  }
  rules.draw_training = [=](Random& random) {
    return pairs_and_queries(random, pairs, pairs, kinds, *held_out);
  };
  rules.context = 4 * pairs - 1;
  rules.spelled = kinds <= most_spelled;
  if (!rules.spelled)
    rules.describe_unknown = [=](const std::string&) {
      return fmt::format("isn't one of the tokens v0 to v{0} and k0 to k{0}", kinds - 1);
    };
  rules.question = fmt::format(
      "{} different keys ({} to {}), each with a value ({} to {}), then one of the keys", pairs,
      names[kinds], names.back(), names[0], names[kinds - 1]);
  rules.is_question = [=](const std::vector<int>& tokens) {
    return are_pairs_and_query(tokens, pairs, kinds);
  };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Multi-query associative recall (Arora and others, "Zoology").
TaskEntry recall_task() {
  return {"recall",
          "predict the value of a key that was seen in a pair",
          "one layer joins each value to its key, the next looks the key up",
          "exact match above 99 %",
          // With AdamW or layer norm, exact match stays at 1 in 4 for hundreds of steps.
          muon_defaults("--layers 2 --heads 1 --width 64 --mlp none --steps 300 --eval-every 100"),
          {},
          {{"pairs", "number of key-value pairs, 2 to 256", "8"},
           {"symbols", "number of different keys, and of values, 4 to 4096", "16"}},
          "pairs",
          {"gpt"},
          make_recall};
}

}  // namespace tapehead
