#include "sequences.hpp"

#include <algorithm>
#include <sstream>

namespace tapehead {
namespace {

const std::string names = "0123456789abcdefghijklmnopqrstuvwxyz";

/// `0 to 9, +, =`.
std::string listed(const std::string& symbols) {
  const auto [other, end] =
      std::mismatch(symbols.begin(), symbols.end(), names.begin(), names.end());
  std::string text = fmt::format("{} to {}", names.front(), *(end - 1));
  for (auto symbol = other; symbol != symbols.end(); ++symbol) text += fmt::format(", {}", *symbol);
  return text;
}

}  // namespace

Sequences::Sequences(std::string name, std::string symbols, Index held_out, MakeExample make)
    : Sequences(std::move(name), std::move(symbols), held_out, make, 0, make) {
  context_ = longest_question() + longest_answer() - 1;
}

Sequences::Sequences(std::string name, std::string symbols, Index held_out, MakeExample make,
                     Index context, MakeExample make_training)
    : name_(std::move(name)),
      symbols_(std::move(symbols)),
      held_out_(held_out),
      make_(std::move(make)),
      make_training_(std::move(make_training)),
      context_(context) {}

Example Sequences::training_example(std::uint64_t seed, Index step, Index number) const {
  return draw(
      {seed, Draw::batch, static_cast<std::uint32_t>(step), 0, static_cast<std::uint32_t>(number)},
      false);
}

Example Sequences::held_out_example(Index number) const {
  return draw({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)}, true);
}

/// Draws until the question is on the right side of the split.
Example Sequences::draw(const RandomKey& key, bool held_out) const {
  Random random(key);
  for (;;) {
    Example example = (held_out ? make_ : make_training_)(random);
    if (is_held_out(example.tokens.data(), example.question) == held_out) return example;
  }
}

std::string Sequences::show(const std::vector<int>& tokens) const {
  std::string text;
  for (int token : tokens) {
    if (!text.empty()) text += ' ';
    text += symbols_.at(static_cast<std::size_t>(token));
  }
  return text;
}

std::vector<int> Sequences::parse(const std::string& text) const {
  std::vector<int> tokens;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    for (char symbol : word) {
      const std::size_t token = symbols_.find(symbol);
      if (token == std::string::npos)
        throw ValueError("{}: '{}' is not made of the symbols {}", name_, word, listed(symbols_));
      tokens.push_back(static_cast<int>(token));
    }
  return tokens;
}

std::string first_symbols(Index n) { return names.substr(0, static_cast<std::size_t>(n)); }

std::vector<int> random_symbols(Random& random, Index n, Index symbols) {
  std::vector<int> drawn(static_cast<std::size_t>(n));
  for (int& symbol : drawn) symbol = static_cast<int>(random.below(symbols));
  return drawn;
}

void require_questions(Index places, Index symbols, const std::string& options) {
  constexpr Index needed = 256;
  Index questions = 1;
  for (Index i = 0; i < places && questions < needed; ++i) questions *= symbols;
  if (questions < needed)
    throw UsageError("{} makes only {} sequences, and to hold some out {} are needed", options,
                     questions, needed);
}

std::vector<TaskOption> sequence_options(const char* length, const char* symbols) {
  return {{"length", "symbols in a sequence", length},
          {"symbols", "how many different ones there are, at most 36", symbols}};
}

std::unique_ptr<Task> sequence_task(const std::string& name, const TaskOptions& options,
                                    Index held_out, void (*rule)(std::vector<int>& symbols)) {
  const Index length = whole_option(options, "length", 1, 1024);
  const Index symbols = whole_option(options, "symbols", 2, static_cast<Index>(names.size()));
  require_questions(length, symbols, fmt::format("--length {} of --symbols {}", length, symbols));
  return std::make_unique<Sequences>(name, first_symbols(symbols), held_out, [=](Random& random) {
    Example example{random_symbols(random, length, symbols), length};
    std::vector<int> answer = example.tokens;
    rule(answer);
    example.tokens.insert(example.tokens.end(), answer.begin(), answer.end());
    return example;
  });
}

TrainConfig muon_recipe(const std::string& settings) {
  return recipe("--norm rms --optimizer muon --lr 0.02 --adam-lr 0.01 --weight-decay 0 " +
                settings);
}

}  // namespace tapehead
