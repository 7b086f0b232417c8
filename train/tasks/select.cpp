#include "sequences.hpp"
#include "tasks.hpp"

namespace tapehead {
namespace {

/// [ . . 3 . 0 0 . . 7 ], then 3 0 0 7: `chosen` symbols among blanks, between two marks; the
/// symbols in their order.
Example scattered(Random& random, Index length, Index chosen, Index symbols) {
  const int blank = static_cast<int>(symbols), first = blank + 1, last = blank + 2;
  Example example{{first}, length + 2};
  std::vector<int> answer;
  Index left = chosen;
  for (Index place = 0; place < length; ++place) {
    // Each choice of places is as likely as any other.
    const bool symbol = random.below(length - place) < left;
    if (symbol) answer.push_back(static_cast<int>(random.below(symbols))), --left;
    example.tokens.push_back(symbol ? answer.back() : blank);
  }
  example.tokens.push_back(last);
  example.tokens.insert(example.tokens.end(), answer.begin(), answer.end());
  return example;
}

}  // namespace

/// Selective copying (Jing and others, "Gated orthogonal recurrent units"; Gu and Dao, "Mamba").
TaskEntry select_task() {
  TaskEntry entry;
  entry.name = "select";
  entry.summary = "pick the symbols out of blanks, in their order";
  entry.teaches =
      "a head counts what stands before it, the next layer finds the one whose turn it is";
  entry.expected = "exact match above 99 %; above 95 % with --length 256";
  entry.recipe = muon_recipe(
      "--layers 2 --heads 8 --width 64 --position rotary --batch 32 "
      "--steps 1500 --eval-every 300");
  entry.options = {{"length", "places in a question, 1 to 1024", "64"},
                   {"chosen", "symbols among the blanks, at most as many", "16"},
                   {"symbols", "how many different ones there are, at most 36", "16"}};
  entry.make = [](const TaskOptions& options) {
    const Index length = whole_option(options, "length", 1, 1024);
    const Index chosen = whole_option(options, "chosen", 1, length);
    const Index symbols = whole_option(options, "symbols", 2, 36);
    require_questions(chosen, symbols, fmt::format("--chosen {} of --symbols {}", chosen, symbols));
    return std::make_unique<Sequences>(
        "select", first_symbols(symbols) + ".[]", 1000,
        [=](Random& random) { return scattered(random, length, chosen, symbols); });
  };
  return entry;
}

}  // namespace tapehead
