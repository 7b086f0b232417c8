#include "../../../core/error.hpp"
#include "../../../train/files/strings.hpp"
#include "line.hpp"

#include <algorithm>
#include <sstream>

namespace tapehead::rasp {
namespace {

/// Reads `alphabet a b c`.
void read_alphabet(Program& program, const std::string& line, int number) {
  std::istringstream words(line);
  std::string text;
  words >> text;
  while (words >> text) {
    const auto end = words.eof() ? line.size() : static_cast<std::size_t>(words.tellg());
    const Place place{number, static_cast<int>(end - text.size()) + 1};
    const Value token = Value::of_token(text);
    if (contains(program.alphabet, token))
      program.fail(place, fmt::format("token '{}' occurs twice", text));
    if (text == start_token || token.text() != text)
      program.fail(place, fmt::format("'{}' can't be a token; choose another one", text));
    program.alphabet.push_back(token);
  }
  if (program.alphabet.empty()) program.fail({number, 1}, "expected tokens, as in: alphabet a b c");
}

/// Reads `lengths 1 to 6` or `lengths 4`.
void read_lengths(Program& program, const std::string& line, int number) {
  constexpr int most = 64;
  std::istringstream words(line);
  std::string text, to;
  words >> text >> program.shortest;
  program.longest = program.shortest;
  program.lengths_place = {number, 1};
  if (words >> to) words >> program.longest;
  const bool wrong = words.fail() && !words.eof();
  if (wrong || (!to.empty() && to != "to") || program.shortest < 1 ||
      program.longest < program.shortest || program.longest > most || words >> to)
    program.fail({number, 1},
                 fmt::format("expected lengths from 1 to {}, as in: lengths 1 to 6", most));
}

}  // namespace

Program parse(const std::string& name, const std::string& text) {
  Program program{name, text};
  program.sequences = {{Operation::Kind::tokens, "tokens", {}, "tokens"},
                       {Operation::Kind::indices, "indices", {}, "indices"}};
  int number = 0;
  for (std::string line : split_lines(text)) {
    ++number;
    line.erase(std::min(line.find('#'), line.size()));  // a comment
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "alphabet" && program.alphabet.empty())
      read_alphabet(program, line, number);
    else if (first == "lengths" && program.longest == 0)
      read_lengths(program, line, number);
    else if (first == "causal" && !(words >> first))
      program.is_causal = true;
    else
      parse_line(program, line, number);
  }
  const Place end{number + 1, 1};
  if (program.alphabet.empty()) program.fail(end, "expected a line such as: alphabet a b c");
  if (program.longest == 0) program.fail(end, "expected a line such as: lengths 1 to 6");
  for (std::size_t i = 0; i < program.sequences.size(); ++i)
    if (program.sequences[i].name == "output") program.output = static_cast<Sequence>(i);
  if (program.output == no_sequence)
    program.fail(end, "expected a line that computes the result, as in: output = tokens");
  return program;
}

}  // namespace tapehead::rasp
