#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {

/// Zeros and ones, then 1 where the number of ones is odd. The answer hangs on every symbol alike,
/// and what one symbol can do to the output of attention shrinks with the length (Hahn,
/// "Theoretical limitations of self-attention in neural sequence models").
TaskEntry parity_task() {
  TaskEntry entry;
  entry.name = "parity";
  entry.summary = "say whether the number of ones is odd";
  entry.teaches = "what attention can't do in one look: an answer that every symbol turns over";
  entry.expected = "near chance: 50 %, 0.693 nats or 1 bit; at --length 8, the shortest, too";
  entry.architectures = {"gpt", "encoder"};
  entry.recipe = recipe("--layers 2 --heads 4 --width 64 --lr 0.001 --steps 1000 --eval-every 250");
  entry.options = {{"length", "symbols in a sequence", "32"}};
  entry.make = [](const TaskOptions& options) {
    const Index length = whole_option(options, "length", 1, 1024);
    require_questions(length, 2, fmt::format("--length {}", length));
    return std::make_unique<Sequences>("parity", first_symbols(2), 1000, [=](Random& random) {
      Example example{random_symbols(random, length, 2), length};
      const Index ones = std::count(example.tokens.begin(), example.tokens.end(), 1);
      example.tokens.push_back(ones % 2 == 0 ? 0 : 1);
      return example;
    });
  };
  return entry;
}

}  // namespace tapehead
