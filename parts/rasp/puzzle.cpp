#include "puzzle.hpp"
#include "../../core/shuffle.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"
#include "library.hpp"

#include <fmt/format.h>

#include <numeric>
#include <sstream>

namespace tapehead::rasp {
namespace {

constexpr const char* prefix = "puzzle-";

// Meanings that several programs share.
constexpr const char* first_token = "the first token";
constexpr const char* earlier_count = "how often the token has occurred before";
constexpr const char* order = "a number that orders all tokens, and equal ones by position";
constexpr const char* rank = "the number of tokens that precede the token in an order";
constexpr const char* at_rank = "the token whose rank is the position";
constexpr const char* is_token = "whether the token is a certain one";

/// What the name of a puzzle says.
struct Numbers {
  std::uint32_t puzzle;
  std::uint64_t student;

  Random random(std::uint32_t use) const { return Random({student, Draw::sample, puzzle, use}); }
};

std::optional<Numbers> read_name(const std::string& name) {
  if (!starts_with(name, prefix)) return {};
  std::istringstream rest(name.substr(std::string(prefix).size()));
  std::string first, second;
  std::getline(rest, first, '-');
  std::getline(rest, second);
  const auto puzzle = read_whole<std::uint32_t>(first);
  const auto student = read_whole<std::uint64_t>(second);
  if (!puzzle || !student || *puzzle < 1 || *puzzle > puzzles().size()) return {};
  return Numbers{*puzzle, *student};
}

/// Draws a letter for each word of an alphabet. Numbers stay, because programs compute with them.
std::map<std::string, std::string> draw_letters(const std::string& alphabet, Random random) {
  std::string letters = "dfghkmnprstw";
  std::map<std::string, std::string> drawn;
  for (const std::string& word : split_words(alphabet)) {
    if (Value::of_token(word).is_number()) continue;
    const auto i = static_cast<std::size_t>(random.below(static_cast<Index>(letters.size())));
    drawn[word] = letters.substr(i, 1);
    letters.erase(i, 1);
  }
  return drawn;
}

/// Returns a program's text with other tokens: in quotes and in its alphabet.
std::string with_letters(const std::string& text, const Random& random) {
  const std::string keyword = "alphabet";
  std::map<std::string, std::string> letters;
  const auto letter = [&](const std::string& word) {
    const auto found = letters.find(word);
    return found == letters.end() ? word : found->second;
  };
  std::string renamed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); renamed += '\n') {
    if (line[0] == '#') continue;
    if (starts_with(line, keyword)) {
      letters = draw_letters(line.substr(keyword.size()), random);
      for (const std::string& word : split_words(line)) renamed += letter(word) + ' ';
      continue;
    }
    std::istringstream pieces(line);
    bool is_quoted = false;
    for (std::string piece; std::getline(pieces, piece, '"'); is_quoted = !is_quoted)
      renamed += is_quoted ? '"' + letter(piece) + '"' : piece;
  }
  return renamed;
}

}  // namespace

const std::vector<Puzzle>& puzzles() {
  static const std::vector<Puzzle> all = {
      {"copy-at",
       {{"place", first_token}, {"output", "the token at the position that a token names"}}},
      {"add-modulo",
       {{"first", first_token}, {"second", "the second token"}, {"output", "a sum modulo 5"}}},
      {"majority",
       {{"is_a", is_token},
        {"share", "the fraction of a certain token in the input"},
        {"output", "whether a certain token is more than half of the input"}}},
      {"fraction-of-previous",
       {{"is_x", is_token}, {"output", "the fraction of a certain token up to the position"}}},
      {"reverse",
       {{"length", "the number of tokens in the input"},
        {"opposite", "the position counted from the end"},
        {"output", "the token as far from the end as the position is from the start"}}},
      {"first-occurrence",
       {{"earlier", earlier_count}, {"output", "the position at which the token occurs first"}}},
      {"sort", {{"order", order}, {"rank", rank}, {"output", at_rank}}},
      {"sort-by-key",
       {{"sort_key", "the place of the token in another alphabet"},
        {"order", order},
        {"rank", rank},
        {"output", at_rank}}},
      {"most-frequent",
       {{"count", "how often the token occurs in the input"},
        {"score", "a number that is larger for frequent and for early tokens"},
        {"better", "the number of tokens with a higher score"},
        {"output", "the token with the highest score"}}},
      {"remove-duplicates",
       {{"earlier", earlier_count},
        {"kept_before", "the number of different tokens before the position"},
        {"place", "the position to which the token moves, if it does"},
        {"output", "the token that moves to the position"}}},
      {"brackets",
       {{"step", "1, -1 or 0, by the token"},
        {"level", "the mean of 1, -1 or 0 for each token up to the position"},
        {"is_wrong", "whether a mean is negative"},
        {"wrong", "the fraction of positions so far where something was wrong"},
        {"output", "one of three words"}}},
      {"induction",
       {{"previous", "the token before the position"},
        {"number", "how often the token before the position has been followed so far"},
        {"matches", "how often the token at the position has been followed so far"},
        {"output", "the token after the latest earlier occurrence of the token"}}},
  };
  return all;
}

const Puzzle& puzzle_of(int number, std::uint64_t student) {
  constexpr std::size_t similar = 4;
  const auto place = static_cast<std::size_t>(number) - 1, group = place / similar;
  std::vector<std::size_t> order(similar);
  std::iota(order.begin(), order.end(), group * similar);
  Random random({student, Draw::sample, 0, static_cast<std::uint32_t>(group)});
  shuffle(order, random);
  return puzzles()[order[place % similar]];
}

std::string puzzle_name(int number, std::uint64_t student) {
  return fmt::format("{}{}-{}", prefix, number, student);
}

std::optional<Program> read_puzzle(const std::string& name) {
  const std::optional<Numbers> numbers = read_name(name);
  if (!numbers) return {};
  const std::string text = included_programs().at(
      puzzle_of(static_cast<int>(numbers->puzzle), numbers->student).program);
  Program program = parse(name, with_letters(text, numbers->random(0)));
  program.puzzle = name;
  return program;
}

Circuit make_puzzle_circuit(const Interpreter& interpreter) {
  Circuit circuit = make_circuit(interpreter);
  const std::optional<Numbers> numbers = read_name(interpreter.program().puzzle);
  if (!numbers) return circuit;
  Random random = numbers->random(1);
  constexpr std::size_t heads = 4;
  for (std::vector<Head>& block : circuit.heads) {
    while (block.size() < heads) block.push_back({no_sequence});
    shuffle(block, random);
  }
  return circuit;
}

}  // namespace tapehead::rasp
