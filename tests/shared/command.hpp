#pragma once
// The command line, called as a function or as a program.
#include "../../cli/app.hpp"
#include "../../parts/parts.hpp"
#include "build.hpp"
#include "scratch.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace tapehead {

struct Output {
  int status = 0;
  std::string text, errors;
};

/// Standard output, or standard error, goes into a file while it lives.
class Redirection {
 public:
  Redirection(std::FILE* stream, const std::string& path);
  ~Redirection();
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  std::FILE* stream_;
  int before_;
};

std::string contents(const std::string& path);
/// Replaces the first occurrence of `from` in a file, which must have it.
void replace_in(const std::string& path, const std::string& from, const std::string& to);
std::vector<std::string> lines_of(const std::string& text);
/// The first of the parts that the text doesn't have; empty where it has them all.
std::string missing(const std::string& text, const std::vector<std::string>& parts);
/// How often a part occurs in a text.
std::size_t count(const std::string& text, const std::string& part);

using Words = std::vector<std::string>;
/// The words of a command line; 'two words' are one.
Words words_of(const std::string& line);

/// `tapehead WORDS`, in this process.
Output command(Words words, const Registry& registry = make_registry());
template <class Line, class = std::enable_if_t<std::is_convertible_v<Line, std::string>>>
Output command(const Line& line) {
  return command(words_of(line));
}
template <class Line, class = std::enable_if_t<std::is_convertible_v<Line, std::string>>>
Output command(const Line& line, const Registry& registry) {
  return command(words_of(line), registry);
}
/// The same; it must succeed.
Output done(const std::string& line, const Registry& registry = make_registry());
/// It must fail with this message as the one line on standard error, and nothing on standard
/// output.
void expect_refused(const Output& output, const std::string& message, int status = 2);
void expect_refused(const std::string& line, const std::string& message, int status = 2);
/// No colours, and no line is wider than a terminal of 80 columns.
void expect_plain(const std::string& text);

/// Trains for milliseconds: four steps of the smallest model, evaluated at every second one, unless
/// the options say otherwise.
void train_tiny(const std::string& options);

/// The options that a command's help lists.
std::vector<std::string> options_in(const std::string& help);

/// A shell's command line, where `$TAPEHEAD` is the built command.
Output shell(const std::string& line);

}  // namespace tapehead
