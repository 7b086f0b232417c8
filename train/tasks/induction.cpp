#include "sequences.hpp"
#include "tasks.hpp"

namespace tapehead {
namespace {

/// 4 1 * 7 0 ... 2 *, then 7: random symbols with a mark among them, and the mark again at the
/// end; what followed it.
Example marked(Random& random, Index length, Index symbols) {
  Example example{random_symbols(random, length - 2, symbols), length};
  const Index place = random.below(length - 2);
  const int followed = example.tokens[static_cast<std::size_t>(place)];
  const int mark = static_cast<int>(symbols);
  example.tokens.insert(example.tokens.begin() + place, mark);
  example.tokens.insert(example.tokens.end(), {mark, followed});
  return example;
}

}  // namespace

/// The induction head of Olsson and others ("In-context learning and induction heads").
TaskEntry induction_task() {
  TaskEntry entry;
  entry.name = "induction";
  entry.summary = "say what followed a mark when it was seen before";
  entry.teaches = "a head that looks for what an earlier head has noted: it takes two layers";
  entry.expected = "exact match 100 %; below 20 % with --layers 1";
  // With AdamW and one head, seed 1 stays at chance.
  entry.recipe = muon_recipe(
      "--layers 2 --heads 1 --width 32 --position rotary --mlp none "
      "--steps 400 --eval-every 100");
  entry.options = {{"length", "symbols in a question, 3 to 1024", "30"},
                   {"symbols", "how many different ones besides the mark, at most 36", "16"}};
  entry.make = [](const TaskOptions& options) {
    const Index length = whole_option(options, "length", 3, 1024);
    const Index symbols = whole_option(options, "symbols", 2, 36);
    require_questions(length - 2, symbols,
                      fmt::format("--length {} of --symbols {}", length, symbols));
    return std::make_unique<Sequences>(
        "induction", first_symbols(symbols) + "*", 1000,
        [=](Random& random) { return marked(random, length, symbols); });
  };
  return entry;
}

}  // namespace tapehead
