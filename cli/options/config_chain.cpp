#include "config_chain.hpp"
#include "../../train/files/files.hpp"

#include <fmt/ranges.h>

#include <filesystem>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

constexpr const char* extends = "extends";

/// Returns a canonical path.
std::string identity(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

/// Reads a file into `files`: first the file that it extends, if any, then its own lines. `chain`
/// has the paths of the files being read; each extends the next.
void read(const std::string& path, std::vector<std::string>& chain, ConfigFiles& files) {
  const bool again =
      any_of(chain, [&](const std::string& before) { return identity(before) == identity(path); });
  chain.push_back(path);
  const std::size_t depth = chain.size();
  const std::string chain_text =
      chain.size() < 2 ? "" : fmt::format(" ({})", fmt::join(chain, " extends "));
  if (again) throw FileError("{}: a configuration can't extend itself{}", chain[0], chain_text);
  try {
    files.last.clear();
    std::vector<ConfigLine> lines = config_lines(require_utf8(read_file(path), path), path);
    const auto base = find_named(lines, extends);
    if (base != lines.end()) {
      if (base->value.empty()) throw FileError("{}: extends needs the name of a file", base->place);
      const std::string of = (fs::path(path).parent_path() / base->value).string();
      lines.erase(base);
      read(of, chain, files);
    }
    files.last.clear();
    for (ConfigLine& line : lines) {
      line.chain = chain_text;
      files.last.emplace_back(line.name, line.value);
      files.lines.push_back(std::move(line));
    }
  } catch (FileError& error) {
    if (chain.size() == depth && !chain_text.empty()) error.append(chain_text);
    throw;
  }
  chain.pop_back();
}

}  // namespace

ConfigFiles read_config_files(const std::vector<std::string>& paths) {
  ConfigFiles files;
  for (const std::string& path : paths) {
    std::vector<std::string> chain;
    read(path, chain, files);
  }
  return files;
}

}  // namespace tapehead
