#include "command.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "json.hpp"
#include "support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

namespace tapehead {

Redirection::Redirection(std::FILE* stream, const std::string& path) : stream_(stream) {
  std::fflush(stream_);
  before_ = ::dup(::fileno(stream_));
  std::FILE* file = std::fopen(path.c_str(), "w");
  ::dup2(::fileno(file), ::fileno(stream_));
  std::fclose(file);
}
Redirection::~Redirection() {
  std::fflush(stream_);
  ::dup2(before_, ::fileno(stream_));
  ::close(before_);
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void replace_in(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = contents(path);
  const std::size_t at = text.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, path + ": no " + from);
  std::ofstream(path) << text.replace(at, from.size(), to);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string missing(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (!has(text, part)) return part + "\nin\n" + text;
  return "";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

Words words_of(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; stream >> std::ws && !stream.eof(); words.push_back(word)) {
    if (stream.peek() == '\'')
      std::getline(stream.ignore(), word, '\'');
    else
      stream >> word;
  }
  return words;
}

Output command(Words words, const Registry& registry) {
  words.insert(words.begin(), "tapehead");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Scratch scratch;
  Output output;
  {
    const Redirection out(stdout, scratch.file("out")), err(stderr, scratch.file("err"));
    output.status = run(static_cast<int>(words.size()), argv.data(), registry);
  }
  output.text = contents(scratch.file("out"));
  output.errors = contents(scratch.file("err"));
  return output;
}

Output done(const std::string& line, const Registry& registry) {
  const Output output = command(line, registry);
  BOOST_TEST_CONTEXT(line << '\n' << output.text << output.errors)
  BOOST_TEST_REQUIRE(output.status == 0);
  return output;
}

json json_of(const std::string& line, const Registry& registry) {
  return parsed(done(line, registry).text);
}

void expect_refused(const Output& output, const std::string& message, int status) {
  BOOST_TEST(output.status == status, output.text << output.errors);
  BOOST_TEST(output.text == "");
  BOOST_TEST(output.errors == "tapehead: " + message + "\n");
}
void expect_refused(const std::string& line, const std::string& message, int status) {
  BOOST_TEST_CONTEXT(line) expect_refused(command(line), message, status);
}

void expect_plain(const std::string& text) {
  BOOST_TEST(!has(text, "\x1b"));
  for (const std::string& line : lines_of(text)) BOOST_TEST(display_width(line) <= 80, line);
}

std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> names;
  const std::regex option("\n  (?:-[a-z][^-]*, )?--(?:\\[no-\\])?([a-z0-9-]+)");
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

Output shell(const std::string& line) {
  const Scratch scratch;
  ::setenv("TAPEHEAD", built_command, 1);
  const std::string whole =
      "( " + line + " ) >" + scratch.file("out") + " 2>" + scratch.file("err");
  const int status = std::system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          contents(scratch.file("out")), contents(scratch.file("err"))};
}

void train_tiny(const std::string& options) {
  done(
      "train reverse --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --steps 4 "
      "--eval-every 2 --batch 4 " +
      options);
}

}  // namespace tapehead
