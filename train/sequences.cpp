#include <tapehead/train/sequences.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace tapehead {
namespace {

constexpr std::string_view names = "0123456789abcdefghijklmnopqrstuvwxyz";

}  // namespace

Sequences::Sequences(const char* name, const TaskOptions& options, Rule rule)
    : name_(name),
      length_(whole_option(options, "length", 1, 1024)),
      symbols_(whole_option(options, "symbols", 2, static_cast<Index>(names.size()))),
      rule_(rule) {
  constexpr Index needed = 256;
  Index questions = 1;
  for (Index i = 0; i < length_ && questions < needed; ++i) questions *= symbols_;
  if (questions < needed)
    throw UsageError(
        "--length {} of --symbols {} makes only {} sequences, and to hold some out {} are needed",
        length_, symbols_, questions, needed);
}

std::vector<TaskOption> Sequences::options(const char* length, const char* symbols) {
  return {{"length", "symbols in a sequence", length},
          {"symbols", "how many different ones there are, at most 36", symbols}};
}

Example Sequences::training_example(std::uint64_t seed, Index step, Index number) const {
  return draw(
      {seed, Draw::batch, static_cast<std::uint32_t>(step), 0, static_cast<std::uint32_t>(number)},
      false);
}

Example Sequences::held_out_example(Index number) const {
  return draw({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)}, true);
}

std::string Sequences::show(const std::vector<int>& tokens) const {
  std::string text;
  for (int token : tokens) {
    if (!text.empty()) text += ' ';
    text += names.at(static_cast<std::size_t>(token));
  }
  return text;
}

std::vector<int> Sequences::parse(const std::string& text) const {
  std::vector<int> tokens;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    for (char symbol : word) {
      const std::size_t token = names.find(symbol);
      if (token >= static_cast<std::size_t>(symbols_))
        throw ValueError("{}: '{}' is not made of the symbols 0 to {}", name_, word,
                         names[static_cast<std::size_t>(symbols_ - 1)]);
      tokens.push_back(static_cast<int>(token));
    }
  return tokens;
}

/// Draws until the question is on the right side of the split.
Example Sequences::draw(const RandomKey& key, bool held_out) const {
  Random random(key);
  std::vector<int> symbols(static_cast<std::size_t>(length_));
  do
    for (int& symbol : symbols) symbol = static_cast<int>(random.below(symbols_));
  while (is_held_out(symbols.data(), length_) != held_out);
  Example example{symbols, length_};
  rule_(symbols);
  example.tokens.insert(example.tokens.end(), symbols.begin(), symbols.end());
  return example;
}

}  // namespace tapehead
