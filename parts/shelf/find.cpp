#include "../../core/system/file.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/step_folders.hpp"
#include "run.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Numbers within names by their values: copy-2 before copy-10.
bool in_natural_order(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto digits = [&](const std::string& text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t start = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(start, at - start);
      };
      const std::string left = digits(a, i), right = digits(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

class Walk {
 public:
  explicit Walk(const Registry& registry) : reader_(registry) {}

  /// `run` is the name below the folder that is listed.
  void into(const std::string& path, const std::string& run) {
    std::set<std::string> names, folders;
    std::error_code reason;
    for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
         at.increment(reason)) {
      const std::string name = at->path().filename().string();
      names.insert(name);
      std::error_code ignored;
      if (fs::is_directory(at->symlink_status(ignored)) && !is_temporary(name))
        folders.insert(name);
    }
    if (reason) {
      if (run.empty())
        throw FileError("{}: {}; name a folder that runs lie in", path, system::in_words(reason));
      found.push_back({});
      found.back().path = path;
      found.back().reason = system::in_words(reason);
    } else if (is_run(names)) {
      found.push_back(reader_.read(path));
    } else {
      for (const std::string& name : folders)
        into(path == "/" ? path + name : path + "/" + name, run.empty() ? name : run + "/" + name);
      return;
    }
    found.back().run = run.empty() ? path : run;
  }

  std::vector<ShelfRun> found;

 private:
  RunReader reader_;
};

}  // namespace

bool is_run(const std::set<std::string>& names) {
  if (names.count("config.toml") > 0 || names.count(metrics_name) > 0) return true;
  // One that lost its config.toml; or that has only begun, with nothing beside its lock.
  const bool has_step = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return step_folder(name).has_value();
  });
  if (has_step) return true;
  return names.count("lock") > 0 &&
         std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return name == "lock" || is_temporary(name); });
}

std::vector<ShelfRun> runs_below(const std::string& folder, const Registry& registry) {
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  Walk walk(registry);
  walk.into(path, "");
  std::sort(walk.found.begin(), walk.found.end(),
            [](const ShelfRun& a, const ShelfRun& b) { return in_natural_order(a.run, b.run); });
  return std::move(walk.found);
}

}  // namespace tapehead
