// Masked tokens: the examples say which positions are targets of the loss, and an encoder sees the
// tokens on both sides of them (Devlin et al., "BERT", 2019).
//   $ ./mine train masked --out run
//   $ ./mine eval run --json | grep '"loss": 0.5'
//   $ ./mine sample run --examples 1
#include <tapehead/cli.hpp>
#include <tapehead/train/tasks/sequences.hpp>

using namespace tapehead;

struct MaskedOptions {
  Index length = 6;
  void options(Fields& f) { f("length", length, 2, 32, "digits"); }
};

/// Makes a task whose examples are a sequence of digits, twice. One digit in four is hidden, and is
/// a target of the loss.
std::unique_ptr<Task> make_masked(const MaskedOptions& options) {
  const Index length = options.length, kinds = 10, hidden = kinds;
  std::vector<std::string> texts = characters(first_symbols(kinds));
  texts.push_back("?");
  SequenceRules rules{"masked", texts, [=](Random& random) {
                        std::vector<int> all = random_tokens(random, length, kinds);
                        all.insert(all.end(), all.begin(), all.end());
                        Example example{all, 2 * length};
                        example.tokens.insert(example.tokens.end(), all.begin(), all.end());
                        for (Index i = 0; i < 2 * length; ++i)
                          if (random.below(4) == 0) {
                            example.tokens[i] = hidden;
                            example.target_positions.push_back(2 * length + i);
                          }
                        if (example.target_positions.empty())
                          example.target_positions = {2 * length};
                        return example;
                      }};
  struct Masked : Sequences {
    using Sequences::Sequences;
    bool has_answers() const override { return false; }
  };
  return std::make_unique<Masked>(rules);
}

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.task<MaskedOptions>(
      "masked", "predict hidden tokens from both sides",
      recipe("--arch encoder --layers 2 --heads 2 --width 64 --position rotary --lr 0.003 "
             "--steps 600"),
      make_masked);
  return run(argc, argv, registry);
}
