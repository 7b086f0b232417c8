#include "sequences.hpp"
#include "../../core/plural.hpp"

#include <algorithm>

namespace tapehead {
namespace {

const std::string symbols = "0123456789abcdefghijklmnopqrstuvwxyz";

/// Lists tokens for a message: `0 to 9, +, =`.
std::string listed(const std::vector<std::string>& texts) {
  std::size_t named = 0;
  while (named < texts.size() && named < symbols.size() && texts[named][0] == symbols[named])
    ++named;
  std::string list = fmt::format("{} to {}", symbols.front(), symbols[named - 1]);
  for (std::size_t i = named; i < texts.size(); ++i) list += ", " + texts[i];
  return list;
}

}  // namespace

Sequences::Sequences(SequenceRules rules) : rules_(std::move(rules)) {
  if (!rules_.draw_training) rules_.draw_training = rules_.draw;
  if (rules_.longest_question == 0) {
    rules_.longest_question = Task::longest_question();
    rules_.longest_answer = Task::longest_answer();
  }
  if (rules_.context == 0) rules_.context = rules_.longest_question + rules_.longest_answer - 1;
}

Example Sequences::training_example(std::uint64_t seed, Index step, Index number) const {
  const RandomKey key{seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                      static_cast<std::uint32_t>(number)};
  return draw(rules_.draw_training, key, false);
}

Example Sequences::held_out_example(Index number) const {
  if (rules_.held_out_example) return rules_.held_out_example(number);
  return draw(rules_.draw, {0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)}, true);
}

/// Draws until the prompt belongs to the wanted set, validation if `held_out`, else training.
Example Sequences::draw(const DrawExample& make, const RandomKey& key, bool held_out) const {
  constexpr int most = 10'000'000;
  Random random(key);
  for (int drawn = 0; drawn < most; ++drawn) {
    Example example = make(random);
    check_positions(example);  // because the hash below reads the prompt
    const bool is_apart =
        is_held_out(example.tokens.data(), example.question, rules_.held_out_fraction);
    if (is_apart == held_out || !rules_.few_prompts.empty()) return example;
  }
  throw Error(
      "{}: none of {} random prompts is for {}; use more different prompts, or another held-out "
      "fraction than {}",
      rules_.name, most, held_out ? "validation" : "training", rules_.held_out_fraction);
}

std::string Sequences::show(const std::vector<int>& tokens) const {
  std::string text;
  for (int token : tokens) {
    if (!text.empty()) text += ' ';
    text += rules_.texts.at(token);
  }
  return text;
}

std::vector<int> Sequences::parse(const std::string& text) const {
  const std::vector<std::string>& texts = rules_.texts;
  std::vector<int> tokens;
  for (const std::string& word : split_words(text))
    for (const std::string& part :
         rules_.spelled ? characters(word) : std::vector<std::string>{word}) {
      const auto found = std::find(texts.begin(), texts.end(), part);
      if (found == texts.end())
        throw ValueError("{}: '{}'{} {}", rules_.name, part,
                         part == word ? "" : fmt::format(" in '{}'", word),
                         rules_.describe_unknown ? rules_.describe_unknown(word)
                                                 : "isn't one of the tokens " + listed(texts));
      tokens.push_back(static_cast<int>(found - texts.begin()));
    }
  return tokens;
}

std::string Sequences::written(const std::vector<int>& tokens) const {
  std::string text = show(tokens);
  if (rules_.spelled) text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string Sequences::prompt_error(const std::vector<int>& question) const {
  if (!rules_.is_question || rules_.is_question(question)) return {};
  const Example right = held_out_example(0);
  const bool wrong_length =
      rules_.end < 0 && question.size() != static_cast<std::size_t>(right.question);
  const auto placeholders = std::count(question.begin(), question.end(), placeholder());
  return fmt::format("{} expects {}, as in {}; got {}", rules_.name, rules_.question,
                     written({right.tokens.begin(), right.tokens.begin() + right.question}),
                     wrong_length
                         ? plural(static_cast<Index>(question.size()) - placeholders, "token")
                         : fmt::format("'{}'", written(question)));
}

std::string first_symbols(Index n) { return symbols.substr(0, n); }

bool are_below(const std::vector<int>& tokens, Index length, Index kinds) {
  return static_cast<Index>(tokens.size()) == length &&
         all_of(tokens, [=](int token) { return is_below(token, kinds); });
}

std::vector<int> random_tokens(Random& random, Index n, Index kinds) {
  std::vector<int> drawn(n);
  for (int& token : drawn) token = static_cast<int>(random.below(kinds));
  return drawn;
}

std::string few_prompts(Index positions, Index kinds, const std::string& options) {
  Index prompts = 1;
  for (Index i = 0; i < positions && prompts < fewest_prompts; ++i) prompts *= kinds;
  return prompts < fewest_prompts
             ? fmt::format("{} gives only {}", options, plural(prompts, "sequence"))
             : "";
}

TrainConfig muon_defaults(const std::string& settings) {
  return recipe("--norm rms --optimizer muon --lr 0.02 --adam-lr 0.01 --weight-decay 0 " +
                settings);
}

}  // namespace tapehead
