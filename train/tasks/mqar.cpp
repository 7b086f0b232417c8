#include "../../core/ops.hpp"
#include "../config/values.hpp"
#include "../data/option_limits.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <numeric>

namespace tapehead {
namespace {

/// Draws sequences of a vocabulary of a blank, 0, then keys, then as many values.
class QuerySequences {
 public:
  QuerySequences(Index length, Index pairs, Index vocabulary, double power)
      : pairs_(pairs), blanks_(length - 2 * pairs), first_value_(vocabulary / 2) {
    const Tensor slots = cast(arange(blanks_ / 2), DType::f64) + 1.0;
    weights_ = pow(slots, power - 1).values();
  }

  /// Draws pairs of different keys and different values, then blanks. Each key comes once more
  /// among the blanks, with its value after it. It comes in slot n, which is the two positions
  /// after 2 n blanks, with a probability proportional to (n + 1)^(power - 1).
  Example draw(Random& random) const {
    Example example{std::vector<int>(2 * pairs_ + blanks_)};
    const std::vector<int> keys = different(random, 1), values = different(random, first_value_);
    std::vector<double> weights = weights_;
    for (Index pair = 0; pair < pairs_; ++pair) {
      const Index slot = weighted(random, weights);
      weights[slot] = 0;
      const Index asked = 2 * (pairs_ + slot);
      for (const Index at : {2 * pair, asked}) {
        example.tokens[at] = keys[pair];
        example.tokens[at + 1] = values[pair];
      }
      example.target_positions.push_back(asked + 1);
    }
    std::sort(example.target_positions.begin(), example.target_positions.end());
    example.question = example.target_positions[0];
    return example;
  }

  /// Draws sequences until the pairs are for validation, or for training. All sequences that begin
  /// with the same pairs belong to the same side.
  Example draw(Random& random, bool held_out) const {
    for (;;) {
      Example example = draw(random);
      if (is_held_out(example.tokens.data(), 2 * pairs_) == held_out) return example;
    }
  }

  /// Draws a validation example, which ends with one of the queried values.
  Example draw_one_query(Random& random) const {
    Example example = draw(random, true);
    example.question = example.target_positions[random.below(pairs_)];
    example.tokens.resize(example.question + 1);
    example.target_positions.clear();
    return example;
  }

  /// Returns whether tokens begin with pairs and end with one of their keys.
  bool is_question(const std::vector<int>& tokens) const {
    const auto size = static_cast<Index>(tokens.size());
    if (size <= 2 * pairs_ || size >= 2 * pairs_ + blanks_) return false;
    bool is_known = false;
    for (Index pair = 0; pair < pairs_; ++pair) {
      const int key = tokens[2 * pair], value = tokens[2 * pair + 1];
      if (key < 1 || key >= first_value_ || value < first_value_) return false;
      is_known = is_known || key == tokens.back();
    }
    return is_known;
  }

 private:
  /// Returns a different token for each pair, from `first` to the end of the keys or values.
  std::vector<int> different(Random& random, Index first) const {
    const Index kinds = first == 1 ? first_value_ - 1 : first_value_;
    std::vector<int> drawn;
    while (static_cast<Index>(drawn.size()) < pairs_) {
      const auto token = static_cast<int>(first + random.below(kinds));
      if (!contains(drawn, token)) drawn.push_back(token);
    }
    return drawn;
  }

  static Index weighted(Random& random, const std::vector<double>& weights) {
    double left = random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
    Index last = 0;  // rounding may leave a rest after the last slot
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      last = static_cast<Index>(i);
      if (left < weights[i]) break;
      left -= weights[i];
    }
    return last;
  }

  Index pairs_, blanks_, first_value_;
  std::vector<double> weights_;
};

std::vector<std::string> texts_of_mqar(Index vocabulary) {
  std::vector<std::string> names = {"."};
  for (Index i = 1; i < vocabulary / 2; ++i) names.push_back(fmt::format("k{}", i));
  for (Index i = 0; i < vocabulary / 2; ++i) names.push_back(fmt::format("v{}", i));
  return names;
}

std::unique_ptr<Task> make_mqar(const TaskOptions& options) {
  const Index length = whole_option(options, "length", 8, 4096);
  const Index pairs = whole_option(options, "pairs", 1, OptionLimit(length / 4, "--length / 4"));
  const Index vocabulary =
      whole_option(options, "vocabulary", OptionLimit(2 * pairs + 4, "2 * --pairs + 4"), 1 << 16);
  for (const auto& [name, value] :
       {std::pair("length", length), std::pair("vocabulary", vocabulary)})
    if (value % 2 != 0) throw UsageError("--{} must be even, not {}", name, value);
  const double power = to_number("--power", options.at("power"));
  if (power < 0 || power > 1) throw UsageError("--power must be from 0 to 1, not {}", power);
  const auto sequences = std::make_shared<QuerySequences>(length, pairs, vocabulary, power);
  SequenceRules rules{"mqar", texts_of_mqar(vocabulary),
                      [=](Random& random) { return sequences->draw(random, false); }};
  rules.held_out = 3000;
  rules.held_out_example = [=](Index number) {
    Random random = example_random(number);
    return sequences->draw_one_query(random);
  };
  rules.longest_question = length - 1;
  rules.longest_answer = 1;
  rules.context = length - 1;
  rules.spelled = false;
  rules.describe_unknown = [=](const std::string&) {
    return fmt::format("isn't ., one of k1 to k{0}, or one of v0 to v{0}", vocabulary / 2 - 1);
  };
  rules.question = fmt::format(
      "{} keys (k1 to k{}), each with a value (v0 to v{}), then any tokens, then one of the keys",
      pairs, vocabulary / 2 - 1, vocabulary / 2 - 1);
  rules.is_question = [=](const std::vector<int>& tokens) {
    return sequences->is_question(tokens);
  };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Multi-query associative recall with rare queries and a large vocabulary, as in figure 2 of Arora
/// and others, "Zoology: Measuring and Improving Recall in Efficient Language Models" (2023).
TaskEntry mqar_task() {
  return {"mqar",
          "recall the values of several keys among blanks (Zoology)",
          "attention recalls at any width; other mixers need a large enough state",
          "exact match above 99 %",
          muon_defaults("--layers 2 --heads 1 --width 64 --mlp none "
                        "--steps 300 --eval-every 100"),
          // The paper's code has the same optimizer, and tries four learning rates.
          {{"zoology", "the paper's smallest setting: 4 pairs in 64 tokens, 8,192 different ones",
            parse_settings("--length 64 --pairs 4 --vocabulary 8192 --norm layer --dropout 0.1 "
                           "--optimizer adamw --lr 0.0022 --min-lr 0 --warmup 0 --beta2 0.999 "
                           "--weight-decay 0.1 --clip 0 --batch 512 --steps 12480 "
                           "--eval-every 195 --until exact-match=0.99")}},
          {{"length", "tokens in a sequence, an even number", "32"},
           {"pairs", "number of key-value pairs, at most --length / 4", "4"},
           {"vocabulary", "number of tokens: half keys, half values, at most 65536", "64"},
           {"power", "power law of the gaps before queries, 0 to 1 (1 = uniform)", "0.01"}},
          "length",
          {"gpt"},
          make_mqar};
}

}  // namespace tapehead
