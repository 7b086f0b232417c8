// A custom task, `train rotate`: copy a sequence, rotated by some places.
//   $ ./mine train rotate --steps 20 --eval-every 0
#include <tapehead/cli.hpp>
#include <tapehead/train/tasks/sequences.hpp>

using namespace tapehead;

struct RotateSettings {  // an option is a field and a line in options()
  Index length = 6, places = 2;
  void options(Fields& f) {
    f("length", length, 2, 64, "length of a sequence in tokens");
    f("places", places, 0, 63, "number of places to rotate by");
  }
};

std::unique_ptr<Task> make_sequences(const RotateSettings& options) {
  const Index length = options.length, places = options.places, kinds = 10;
  SequenceRules rules{"rotate", characters(first_symbols(kinds)), [=](Random& random) {
                        Example example{random_tokens(random, length, kinds), length};
                        for (Index i = 0; i < length; ++i)
                          example.tokens.push_back(example.tokens[(i + places) % length]);
                        return example;
                      }};
  rules.few_prompts = few_prompts(length, kinds, fmt::format("--length {}", length));
  rules.question = fmt::format("{} digits", length);
  rules.is_question = [=](const auto& tokens) { return are_below(tokens, length, kinds); };
  return std::make_unique<Sequences>(rules);
}

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.task<RotateSettings>(
      "rotate", "copy a sequence, rotated by some places",
      recipe("--layers 2 --heads 2 --width 64 --position rotary --lr 0.003 --steps 300"),
      make_sequences, {"gpt", "encoder"});
  return run(argc, argv, registry);
}
