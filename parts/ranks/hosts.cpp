#include "hosts.hpp"
#include "../../train/config/option.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/message.hpp"
#include "../../train/files/strings.hpp"
#include "launched.hpp"

#include <cctype>
#include <sstream>
#include <vector>

namespace tapehead {
namespace {

struct Host {
  std::string line, name;
  Index slots = 1;
};

/// Returns whether a text starts with a letter or digit and contains only letters, digits and the
/// characters in `others`.
bool is_word(const std::string& text, const std::string& others) {
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && is_plain(text[0]) &&
         all_of(text, [&](char c) { return is_plain(c) || others.find(c) != std::string::npos; });
}

std::vector<Host> read_hosts(const std::string& path) {
  std::vector<Host> hosts;
  std::istringstream text(read_file(path));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    line = line.substr(0, line.find_first_of("#\r"));
    const auto expect = [&](bool right, const std::string& word) {
      if (!right)
        throw FileError("{}:{}: invalid host '{}'; expected a line like `node-1 slots=4`", path,
                        number, visible(word));
    };
    std::istringstream words(line);
    Host host;
    if (!(words >> host.name)) continue;
    expect(is_word(host.name, "._-:%@"), host.name);
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      expect(equals != std::string::npos && is_word(word.substr(0, equals), "_-") &&
                 is_word(word.substr(equals + 1), "._-:,"),
             word);
      if (word.compare(0, equals, "slots") != 0) continue;
      const std::string slots = word.substr(equals + 1);
      expect(slots.size() < 7 && slots.find_first_not_of("0123456789") == std::string::npos, word);
      host.slots = to_index("slots", slots);
      expect(host.slots > 0, word);
    }
    host.line = line;
    hosts.push_back(host);
  }
  return hosts;
}

}  // namespace

Hosts reachable_hosts(const std::string& path) {
  Hosts found;
  for (const Host& host : read_hosts(path)) {
    if (run_launched(
            {"ssh", "-nqo", "BatchMode=yes", "-o", "ConnectTimeout=5", "--", host.name, "true"})
            .status != 0) {
      message(fmt::format("launch: {} doesn't answer over ssh; continuing without it", host.name));
      continue;
    }
    found.lines += host.line + '\n';
    found.slots += host.slots;
  }
  if (found.slots == 0) throw Error("{}: no host answers over ssh", path);
  return found;
}

}  // namespace tapehead
