#include "sequences.hpp"
#include "tasks.hpp"

#include <utility>

namespace tapehead {
namespace {

/// n different numbers below `below`, in random order.
std::vector<int> different(Random& random, Index n, Index below) {
  std::vector<int> all(static_cast<std::size_t>(below));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)  // Fisher, Yates
    std::swap(all[i],
              all[i + static_cast<std::size_t>(random.below(below - static_cast<Index>(i)))]);
  all.resize(static_cast<std::size_t>(n));
  return all;
}

/// a 3 k 0 ... q 7 k, different keys, each with a value, and one of them again; then its value.
/// With more queries, more keys and their values follow: the keys can't be known, and aren't asked
/// for.
Example pairs_and_queries(Random& random, Index pairs, Index queries, Index symbols) {
  const std::vector<int> keys = different(random, pairs, symbols);
  const std::vector<int> values = random_symbols(random, pairs, symbols);
  Example example{{}, 2 * pairs + 1};
  const auto add = [&](int pair) {
    example.tokens.push_back(static_cast<int>(symbols) + keys[static_cast<std::size_t>(pair)]);
    example.tokens.push_back(values[static_cast<std::size_t>(pair)]);
  };
  for (int pair = 0; pair < static_cast<int>(pairs); ++pair) add(pair);
  for (int pair : different(random, queries, pairs)) {
    add(pair);
    if (queries > 1) example.asked.push_back(static_cast<Index>(example.tokens.size()) - 1);
  }
  return example;
}

}  // namespace

/// Multi-query associative recall (Arora and others, "Zoology").
TaskEntry recall_task() {
  TaskEntry entry;
  entry.name = "recall";
  entry.summary = "give the value of a key that was read in a pair";
  entry.teaches = "one layer joins each value to its key, the next looks the key up";
  entry.expected = "exact match above 99 %";
  // With AdamW, or with layer norm, it stays at 1 in 4 for hundreds of steps.
  entry.recipe =
      muon_recipe("--layers 2 --heads 1 --width 64 --mlp none --steps 300 --eval-every 100");
  entry.length_option = "pairs";
  entry.options = {{"pairs", "keys with a value, at least 2", "8"},
                   {"symbols", "kinds of keys, and as many of values, 4 to 18", "16"}};
  entry.make = [](const TaskOptions& options) {
    const Index symbols = whole_option(options, "symbols", 4, 18);
    const Index pairs = whole_option(options, "pairs", 2, symbols);
    return std::make_unique<Sequences>(
        "recall", first_symbols(2 * symbols), 1000,
        [=](Random& random) { return pairs_and_queries(random, pairs, 1, symbols); }, 4 * pairs - 1,
        [=](Random& random) { return pairs_and_queries(random, pairs, pairs, symbols); });
  };
  return entry;
}

}  // namespace tapehead
