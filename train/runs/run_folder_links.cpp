// The links of a run to its last and best checkpoints, and the folders that a copy has in their
// place.
#include "checkpoint.hpp"
#include "run_folder_shared.hpp"
#include "step_folders.hpp"

#include <algorithm>
#include <cerrno>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Makes a link as replace_link does; false where the file system has none: FAT, and what other
/// systems or programs mount.
bool made_link(const std::string& path, const std::string& target) {
  try {
    replace_link(path, target);
  } catch (const SystemError& error) {
    for (int lack : {EPERM, EACCES, EOPNOTSUPP, ENOSYS, EPROTO, EROFS})
      if (error.reason == lack) return false;
    throw;
  }
  return true;
}

}  // namespace

std::string RunFolder::linked(Kept which) const {
  const std::string link = link_of(which);
  if (!has(link)) return {};
  std::error_code reason;
  const fs::file_status status = fs::symlink_status(file(link), reason);
  check_system(reason, file(link));
  if (fs::is_directory(status)) return link;
  std::string target;
  if (fs::is_symlink(status)) {
    const fs::path leads_to = fs::read_symlink(file(link), reason);
    check_system(reason, file(link));
    // Emscripten has it as an absolute path.
    const bool is_here = leads_to.parent_path() == fs::absolute(path_).lexically_normal();
    target = (is_here ? leads_to.filename() : leads_to).string();
  } else {
    const InputFile text(file(link));
    target.resize(std::min<std::size_t>(text.size(), 200));
    target.resize(text.read(0, target.data(), target.size()));
    target.resize(target.find_last_not_of("\r\n") + 1);
  }
  // The target is removed one day, so a link out of this folder must never be followed.
  if (!step_folder(target))
    throw FileError("{}: links to '{}', which is no step of this run", file(link), target);
  return target;
}

bool RunFolder::is_linked(const std::string& name) const {
  return name == linked(Kept::last) || name == linked(Kept::best);
}

void RunFolder::link(const std::string& name, bool best) const {
  for (const std::string each : {model_file, optimizer_file}) {
    std::error_code none;
    if (fs::is_symlink(fs::symlink_status(file(each), none))) continue;
    // A copy has the files of an earlier checkpoint here, or a text in the place of the link.
    if (!made_link(file(each), fmt::format("{}/{}", link_of(Kept::last), each)))
      discard(file(each));
  }
  sync_to_disk(path_);
  // The best one first: after a crash between the two, training repeats the same steps and finds it
  // again.
  if (best) refer(Kept::best, name);
  refer(Kept::last, name);  // from here on, this is the last checkpoint
  sync_to_disk(path_);
}

void RunFolder::refer(Kept which, const std::string& name) const {
  const std::string link = file(link_of(which));
  if (!made_link(link, name)) replace_file(link, name + '\n');
}

void RunFolder::restore_link(Kept which) const {
  const std::string copy = link_of(which);
  if (linked(which) != copy) return;
  StepFolder step;
  try {
    if (!is_complete(copy)) throw FileError("a file is missing");
    step.step = read_record(file(copy)).steps;
  } catch (const SystemError&) {
    throw;
  } catch (const FileError& error) {
    notice_(fmt::format("{}: damaged ({}), set aside as {}", file(copy),
                        reason_of(error, file(copy)), set_aside(copy)));
    return;
  }
  const auto is_same = [&](const char* each) {
    const std::string there = step.name() + "/" + each;
    return has(there) && same_bytes(file(there), file(copy + "/" + each));
  };
  const bool is_needed = is_kept_for_a_stranger(copy);
  while (has(step.name()) && (is_needed || !(is_same(model_file) && is_same(optimizer_file))))
    ++step.again;
  write_in(path_, [&] {
    if (has(step.name()))
      discard(file(copy));
    else
      rename_file(file(copy), file(step.name()));
    refer(which, step.name());
  });
}

}  // namespace tapehead
