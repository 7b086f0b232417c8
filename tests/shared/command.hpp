#pragma once
// Runs the command line as a function or as a program.
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

/// Redirects standard output or standard error to a file during this object's lifetime.
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
/// Replaces the first occurrence of `from` in a file, which must contain it.
void replace_in(const std::string& path, const std::string& from, const std::string& to);
std::vector<std::string> lines_of(const std::string& text);
/// Returns the first of the parts that the text doesn't contain; empty if it contains all.
std::string missing(const std::string& text, const std::vector<std::string>& parts);
/// Returns the number of occurrences of a part in a text.
std::size_t count(const std::string& text, const std::string& part);

using Words = std::vector<std::string>;
/// Splits a command line into words; 'two words' are one.
Words words_of(const std::string& line);

/// Runs `tapehead WORDS` in this process.
Output command(Words words, const Registry& registry = make_registry());
template <class Line, class = std::enable_if_t<std::is_convertible_v<Line, std::string>>>
Output command(const Line& line) {
  return command(words_of(line));
}
template <class Line, class = std::enable_if_t<std::is_convertible_v<Line, std::string>>>
Output command(const Line& line, const Registry& registry) {
  return command(words_of(line), registry);
}
/// Runs a command, which must succeed.
Output done(const std::string& line, const Registry& registry = make_registry());
/// Expects a failed command with this one-line message on standard error, and nothing on standard
/// output.
void expect_refused(const Output& output, const std::string& message, int status = 2);
void expect_refused(const std::string& line, const std::string& message, int status = 2);
/// Expects no colors, and no line wider than 80 columns.
void expect_plain(const std::string& text);

/// Trains for milliseconds: four steps of the smallest model, evaluated every second step, unless
/// the options change that.
void train_tiny(const std::string& options);

/// Returns the options listed in a command's help.
std::vector<std::string> options_in(const std::string& help);

/// Runs a shell command line, where `$TAPEHEAD` is the built command.
Output shell(const std::string& line);

}  // namespace tapehead
