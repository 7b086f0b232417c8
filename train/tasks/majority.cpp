#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {

/// An odd number of zeros and ones, then the one that is more frequent.
TaskEntry majority_task() {
  TaskEntry entry;
  entry.name = "majority";
  entry.summary = "say which of two symbols is more frequent";
  entry.teaches = "a head that looks at everything alike takes a mean, and so counts";
  entry.expected = "exact match 100 %";
  entry.architectures = {"gpt", "encoder"};
  entry.recipe = recipe("--layers 1 --heads 1 --width 32 --lr 0.003 --steps 500");
  entry.options = {{"length", "symbols in a sequence, an odd number", "21"}};
  entry.make = [](const TaskOptions& options) {
    const Index length = whole_option(options, "length", 1, 1023);
    if (length % 2 == 0)
      throw UsageError("--length must be odd, so that one symbol is more frequent, not {}", length);
    require_questions(length, 2, fmt::format("--length {}", length));
    return std::make_unique<Sequences>("majority", first_symbols(2), 1000, [=](Random& random) {
      Example example{random_symbols(random, length, 2), length};
      const Index ones = std::count(example.tokens.begin(), example.tokens.end(), 1);
      example.tokens.push_back(2 * ones > length ? 1 : 0);
      return example;
    });
  };
  return entry;
}

}  // namespace tapehead
