#include "step_folders.hpp"
#include "../../core/error.hpp"
#include "../../core/system/file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <tuple>

namespace tapehead {
namespace {

constexpr std::string_view start = "step-", repeated = "-again";

}  // namespace

std::string StepFolder::name() const {
  std::string name = fmt::format("{}{}", start, step);
  for (Index i = 0; i < again; ++i) name += repeated;
  return name;
}

bool StepFolder::is_newer_than(const StepFolder& other) const {
  return std::tie(step, again) > std::tie(other.step, other.again);
}

std::optional<StepFolder> step_folder(const std::string& name) {
  if (name.compare(0, start.size(), start) != 0) return {};
  StepFolder folder;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + start.size(), end, folder.step);
  if (error != std::errc() || folder.step < 0) return {};
  folder.again = (end - stop) / static_cast<Index>(repeated.size());
  if (folder.name() != name) return {};  // such as step-05, step-5-best
  return folder;
}

std::vector<StepFolder> step_folders(const std::string& run) {
  namespace fs = std::filesystem;
  std::vector<StepFolder> folders;
  std::error_code reason;
  for (fs::directory_iterator at(run, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    if (const auto folder = step_folder(at->path().filename().string())) folders.push_back(*folder);
  if (reason) throw FileError("{}: {}", run, system::error_message(reason));
  std::sort(folders.begin(), folders.end(),
            [](const StepFolder& a, const StepFolder& b) { return a.is_newer_than(b); });
  return folders;
}

}  // namespace tapehead
