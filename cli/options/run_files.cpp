#include "run_files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/provenance.hpp"
#include "config_file.hpp"

#include <filesystem>
#include <functional>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

bool path_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

fs::path absolute(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

/// Returns the existing files that a recorded path may refer to, the likeliest first.
std::vector<fs::path> candidates(const fs::path& path, const std::string& directory,
                                 const std::string& run) {
  std::vector<fs::path> all;
  const auto add = [&](const fs::path& one) {
    const auto is_known = [&](const fs::path& other) { return is_same(one, other); };
    if (path_exists(one) && none_of(all, is_known)) all.push_back(one);
  };
  const auto add_in = [&](const fs::path& folder) {
    if (path.is_relative()) add(folder / path);
    add(folder / path.filename());
  };
  // Without a recorded directory, relative paths start from the current one.
  add(directory.empty() ? path : directory / path);
  fs::path near = absolute(run);
  for (int up = 0; up < 3; ++up, near = near.parent_path()) add_in(near);
  add_in(".");
  return all;
}

std::string digest_if_readable(const fs::path& path) {
  try {
    return digest_of_data(path.string());
  } catch (const FileError&) {
    return "";
  }
}

/// Returns the current path of a recorded file.
fs::path current_path_of(const fs::path& path, const std::string& directory, const std::string& run,
                         const std::function<std::string()>& recorded_digest) {
  const std::vector<fs::path> all = candidates(path, directory, run);
  if (all.empty())
    return directory.empty() || is_same(directory, ".") ? path
                                                        : (directory / path).lexically_normal();
  if (all.size() == 1) return all[0];
  const std::string digest = recorded_digest();
  const auto found = find_if(all, [&](const fs::path& one) {
    return !digest.empty() && digest_if_readable(one) == digest;
  });
  return found == all.end() ? all[0] : *found;
}

}  // namespace

std::string working_directory(const RunFolder& folder) {
  return working_directory_in(folder.read_config(), folder.path() + "/config.toml");
}

std::vector<Json> sessions_of(const RunFolder& folder) {
  std::vector<Json> sessions = read_sessions(folder.path());
  if (sessions.empty())
    sessions.push_back(
        {{"version", version_in(folder.read_config(), folder.path() + "/config.toml")}});
  return sessions;
}

void note_changed_code(const RunFolder& folder) {
  const Json last = sessions_of(folder).back();
  if (const std::string changes = code_changes(last); !changes.empty())
    message(fmt::format("{} was last trained by {}; {}", folder.path(), changes,
                        effect_of_changes(last)));
}

FilePaths files_of(const TrainConfig& config, const Registry& registry) {
  FilePaths paths;
  for (const Option& option : read_options(config, registry))
    if (const std::string path = option.get(config); is_file_option(option) && !path.empty())
      paths[option.name] = path;
  return paths;
}

TrainConfig with_files(TrainConfig config, const FilePaths& paths) {
  for (const auto& [name, path] : paths) {
    if (name == "init")
      config.init = path;
    else
      config.task_options[name] = path;
  }
  return config;
}

FilePaths moved_files(const TrainConfig& config, const RunFolder& folder,
                      const Registry& registry) {
  FilePaths moved;
  const FilePaths files = files_of(config, registry);
  if (files.empty()) return moved;
  const std::string directory = working_directory(folder);
  for (const auto& [name, path] : files) {
    const fs::path place = current_path_of(path, directory, folder.path(), [&, option = name] {
      const RunFolder quiet = RunFolder::open(folder.path(), [](const std::string&) {});
      return recorded_digest(quiet.last_record().data, option);
    });
    if (place != path && !is_same(place, path)) moved[name] = place.string();
  }
  return moved;
}

FilePaths moved_files(const TrainConfig& config, const TrainConfig& recorded,
                      const RunFolder& folder, const Registry& registry) {
  FilePaths moved = moved_files(recorded, folder, registry);
  const FilePaths before = files_of(recorded, registry), now = files_of(config, registry);
  for (const auto& [name, path] : before)
    if (const auto found = now.find(name); found == now.end() || found->second != path)
      moved.erase(name);
  return moved;
}

TrainConfig from_directory(const TrainConfig& config, const std::string& directory,
                           const Registry& registry) {
  FilePaths moved;
  if (directory.empty()) return config;
  for (const auto& [name, path] : files_of(config, registry))
    if (const fs::path place = directory / fs::path(path); !path_exists(path) && path_exists(place))
      moved[name] = place.lexically_normal().string();
  return with_files(config, moved);
}

Settings with_absolute_paths(Settings given, const RunFolder& folder, const TrainConfig& recorded,
                             const Registry& registry) {
  const std::string directory = working_directory(folder);
  if (directory.empty() || is_same(directory, ".")) return given;
  const FilePaths before = files_of(recorded, registry);
  const std::vector<Option>& options = all_options(registry.find_task(recorded.task), registry);
  for (auto& [name, value] : given) {
    const auto option = find_named(options, name);
    if (option == options.end() || !is_file_option(*option) || value.empty()) continue;
    const auto known = before.find(name);
    const fs::path here = absolute(value);
    const bool is_known =
        known != before.end() && here == (directory / fs::path(known->second)).lexically_normal();
    value = is_known ? known->second : here.string();
  }
  return given;
}

}  // namespace tapehead
