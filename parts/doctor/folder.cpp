#include "../../train/runs/files.hpp"
#include "../../train/runs/made_folders.hpp"
#include "../../train/utf8.hpp"
#include "checks.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace tapehead {
namespace {

using State = Diagnosis::State;
namespace fs = std::filesystem;

std::string reason_of(const SystemError& error) {
  return std::generic_category().message(error.reason);
}

/// A folder within another, that goes with all that is in it when this does.
class TrialFolder {
 public:
  explicit TrialFolder(const std::string& within) : path_(unused_temporary(within + "/trial")) {
    std::error_code reason;
    fs::create_directory(path_, reason);
    if (reason) throw SystemError(path_, reason.value());
  }
  ~TrialFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

const std::string elsewhere = "choose another folder: train --out FOLDER/NAME";

Diagnosis check_links(const TrialFolder& trial) {
  try {
    replace_link(trial.file("link"), "written");
    if (read_file(trial.file("link")) != read_file(trial.file("written")))
      return {"links", State::wrong, "a symbolic link leads to another file", elsewhere};
  } catch (const SystemError& error) {
    return {"links", State::fine,
            fmt::format("there are no symbolic links ({}), and a run goes without: `checkpoint` "
                        "and `best` are small files there, with the name of the folder of a "
                        "checkpoint, and model.safetensors lies in that folder alone",
                        reason_of(error))};
  }
  return {"links", State::fine, "symbolic links lead from a run to its checkpoints"};
}

Diagnosis check_locks(const TrialFolder& trial) {
  try {
    const auto first = lock_file(trial.file("lock")), second = lock_file(trial.file("lock"));
    if (!first) return {"locks", State::wrong, "a new file is locked already", elsewhere};
    if (second)
      return {"locks", State::missing,
              "a lock keeps nobody out: two trainings of one run would spoil it",
              "never train a run twice at once"};
  } catch (const SystemError& error) {
    return {"locks", State::wrong, "files can't be locked: " + reason_of(error), elsewhere};
  }
  return {"locks", State::fine, "a run that trains is kept from other processes"};
}

Diagnosis check_replacing_unread(const TrialFolder& trial) {
  try {
    replace_file(trial.file("written"), "new");
  } catch (const SystemError& error) {
    return {"replacing", State::wrong, "a file can't be replaced: " + reason_of(error), elsewhere};
  }
  return {"replacing", State::missing, "a file is replaced once nobody reads it",
          "read a run while it isn't training"};
}

Diagnosis check_replacing(const TrialFolder& trial) {
  try {
    const InputFile before(trial.file("written"));
    replace_file(trial.file("written"), "new");
    std::string old(3, '\0');
    before.read(0, old.data(), old.size());
    if (old != "old" || read_file(trial.file("written")) != "new")
      return {"replacing", State::missing,
              "whoever reads a file while it is replaced sees neither the old nor the new one",
              "read a run while it isn't training"};
  } catch (const SystemError&) {
    return check_replacing_unread(trial);
  }
  return {"replacing", State::fine, "a file is replaced at once, even while somebody reads it"};
}

}  // namespace

Diagnoses check_folder(const std::string& path) {
  const std::string name = visible(path);
  try {
    const bool there = exists(path);
    const MadeFolders made(path);
    const TrialFolder trial(path);
    replace_file(trial.file("written"), "old");
    std::error_code reason;
    const fs::space_info space = fs::space(path, reason);
    std::string text = fmt::format("{} can be {}", name, there ? "written" : "made and written");
    if (!reason) text += ", with room for " + gigabytes(static_cast<double>(space.available));
    return {{"runs", State::fine, text},
            check_links(trial),
            check_locks(trial),
            check_replacing(trial)};
  } catch (const SystemError& error) {
    return {{"runs", State::wrong, name + ": " + reason_of(error), elsewhere}};
  } catch (const FileError& error) {
    return {{"runs", State::wrong, visible(error.what()), elsewhere}};
  }
}

}  // namespace tapehead
