#pragma once
// The command line, called as a function or as a program.
#include "../../cli/app.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "paths.hpp"
#include "scratch.hpp"

namespace tapehead {

struct Output {
  int status = 0;
  std::string text, errors;
};

/// Standard output, or standard error, goes into a file while it lives.
class Redirection {
 public:
  Redirection(std::FILE* stream, const std::string& path) : stream_(stream) {
    std::fflush(stream_);
    before_ = ::dup(::fileno(stream_));
    std::FILE* file = std::fopen(path.c_str(), "w");
    ::dup2(::fileno(file), ::fileno(stream_));
    std::fclose(file);
  }
  ~Redirection() {
    std::fflush(stream_);
    ::dup2(before_, ::fileno(stream_));
    ::close(before_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  std::FILE* stream_;
  int before_;
};

inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// `tapehead WORDS`, in this process.
inline Output command(std::vector<std::string> words,
                      const Registry& registry = Registry::standard()) {
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

/// The options that a command's help lists.
inline std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> names;
  const std::regex option("\n +(?:-[a-z], )?--([a-z0-9-]+)");
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

/// A shell's command line, where `$TAPEHEAD` is the built command.
inline Output shell(const std::string& line) {
  const Scratch scratch;
  ::setenv("TAPEHEAD", built_command, 1);
  const std::string whole =
      "( " + line + " ) >" + scratch.file("out") + " 2>" + scratch.file("err");
  const int status = std::system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          contents(scratch.file("out")), contents(scratch.file("err"))};
}

}  // namespace tapehead
