// Lists, saves, loads and removes a run's checkpoints, and maintains the links to the last and the
// best.
#include "checkpoint.hpp"
#include "metrics_file.hpp"
#include "run_folder_shared.hpp"
#include "step_folders.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Makes a link as replace_link does. Returns false if the file system doesn't support links, such
/// as FAT and some network mounts.
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

bool RunFolder::is_complete(const std::string& name) const {
  return is_complete_checkpoint(file(name));
}

bool RunFolder::has_foreign_files(const std::string& name) const {
  return is_complete(name) && !foreign_file_in_checkpoint(file(name)).empty();
}

std::string RunFolder::last() const {
  if (const std::string name = linked(Kept::last); !name.empty()) return name;
  for (const StepFolder& folder : step_folders(path_))
    if (is_complete(folder.name())) return folder.name();
  return {};
}

bool RunFolder::has_checkpoint() const { return has(link_of(Kept::last)) || !last().empty(); }

Index RunFolder::last_step() const {
  const auto folder = step_folder(last());
  return folder ? folder->step : -1;
}

Index RunFolder::best_step() const {
  const auto folder = step_folder(linked(Kept::best));
  return folder ? folder->step : -1;
}

std::map<Index, std::string> RunFolder::complete_steps() const {
  std::map<Index, std::string> all;
  for (const StepFolder& folder : step_folders(path_))
    if (is_complete(folder.name())) all.emplace(folder.step, folder.name());
  // A copy may have folders instead of links.
  for (const Kept which : {Kept::last, Kept::best})
    if (const std::string name = linked(which);
        !name.empty() && !step_folder(name) && is_complete(name))
      all.emplace(read_metadata(file(name)).steps, name);
  return all;
}

std::vector<Index> RunFolder::steps() const {
  std::vector<Index> all;
  for (const auto& [step, name] : complete_steps()) all.push_back(step);
  return all;
}

void RunFolder::trim(Index keep) const {
  check_locked();
  const std::string newest = last();
  const auto from = step_folder(newest);
  Index counted = 0;
  for (const StepFolder& folder : step_folders(path_)) {
    const std::string name = folder.name();
    const bool is_of_the_last = from && !folder.is_newer_than(*from) && is_complete(name);
    if (is_of_the_last) ++counted;
    if (name == newest || is_linked(name) || (is_of_the_last && counted <= keep)) continue;
    if (is_complete(name)) {
      if (!has_foreign_files(name)) discard(file(name));
    } else
      notice_(fmt::format("{}: damaged (a file is missing); renamed to {}", file(name),
                          set_aside(name)));
  }
}

void RunFolder::save(Module& model, Optimizer& optimizer, Index steps,
                     const SaveOptions& options) const {
  check_locked();
  if (steps < 0) throw ValueError("checkpoint: {} steps, expected at least 0", steps);
  if (options.keep < 1) throw ValueError("--keep must be at least 1, not {}", options.keep);
  StepFolder next{steps};
  if (const auto newest = step_folder(last()); newest && newest->step == steps) next = *newest;
  while (is_linked(next.name()) || has_foreign_files(next.name())) ++next.again;
  const std::string name = next.name();
  const auto remove_unfinished = [&] {
    discard(file(draft_name));
    if (!is_linked(name)) discard(file(name));
  };
  trim(options.keep);  // so that the new checkpoint is the only one above the limit
  remove_unfinished();
  const auto write = [&] {
    std::error_code reason;
    std::filesystem::create_directory(file(draft_name), reason);
    check_system(reason, file(draft_name));
    TrainingRecord record = recorded_;
    record.digest_note = options.note;
    record.line = options.line;
    write_checkpoint(file(draft_name), model, optimizer, steps, options.average, record);
    MetricsFile(path_).sync();  // as durable as the checkpoint
    rename_file(file(draft_name), file(name));
    link(name, options.best);
  };
  try {
    write_in(path_, write);
  } catch (...) {
    remove_unfinished();
    throw;
  }
  trim(options.keep);
}

void RunFolder::mark_best(Index keep) const {
  check_locked();
  if (linked(Kept::best) == last()) return;
  write_in(path_, [&] {
    set_link(Kept::best, last());
    sync_to_disk(path_);
  });
  trim(keep);
}

Index RunFolder::read_intact(Kept which,
                             const std::function<Index(const std::string&)>& read) const {
  const auto wanted = [&] { return which == Kept::last ? last() : linked(which); };
  const std::string first = wanted();
  if (first.empty())
    throw FileError("{}: no {} has been saved yet", path_,
                    which == Kept::best ? "best checkpoint" : "checkpoint");
  std::vector<std::string> names = {first};
  for (const StepFolder& other : step_folders(path_))
    if (other.name() != first) names.push_back(other.name());

  const bool is_resuming = lock_ && which == Kept::last;
  struct Damage {
    std::string name, text;
  };
  std::vector<Damage> damaged;
  for (const std::string& name : names) {
    Index steps = 0;
    try {
      steps = read(file(name));
    } catch (const MismatchError&) {
      throw;
    } catch (const SystemError&) {
      throw;  // a file that can't be read now may be intact
    } catch (const FileError& error) {
      if (wanted() != first) return read_intact(which, read);  // replaced while being read
      damaged.push_back(
          {name, fmt::format("{}: damaged ({})", file(name), reason_of(error, file(name)))});
      continue;
    }
    std::string notice;
    for (const Damage& one : damaged) {
      notice += one.text;
      if (is_resuming && has(one.name)) notice += ", renamed to " + set_aside(one.name);
      notice += "; ";
    }
    if (!damaged.empty())
      notice_(fmt::format("{}{} step {}", notice, lock_ ? "continuing from" : "using", steps));
    if (is_resuming && linked(Kept::last) != name) {
      // A crash, or a copy without links, may have lost the link to the best one too.
      write_in(path_, [&] { link(name, !has(link_of(Kept::best))); });
      trim(any_number);
    }
    return steps;
  }
  std::string all;
  for (const Damage& one : damaged) all += (all.empty() ? "" : "; ") + one.text;
  throw FileError("{}", all);
}

Index RunFolder::load(Module& model, Optimizer* optimizer, WeightAverage* average,
                      Kept which) const {
  return read_intact(which, [&](const std::string& folder) {
    return read_checkpoint(folder, model, optimizer, average);
  });
}

void RunFolder::load_step(Module& model, Index step) const {
  const std::map<Index, std::string> all = complete_steps();
  const auto found = all.find(step);
  if (found == all.end())
    throw FileError("{}: no checkpoint of step {}, expected one of: {}", path_, step,
                    all.empty() ? "none" : fmt::format("{}", fmt::join(steps(), ", ")));
  read_checkpoint(file(found->second), model, nullptr);
}

CheckpointRecord RunFolder::last_record() const { return read_last(read_record); }
CheckpointRecord RunFolder::last_metadata() const { return read_last(read_metadata); }

CheckpointRecord RunFolder::read_last(CheckpointRecord (*read)(const std::string&)) const {
  CheckpointRecord record;
  if (has_checkpoint())
    read_intact(Kept::last, [&](const std::string& folder) {
      record = read(folder);
      return record.steps;
    });
  return record;
}

// ---- the links to the last and the best checkpoint, and folders that a copy has instead

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
    // Emscripten makes the path absolute.
    const bool is_here = leads_to.parent_path() == fs::absolute(path_).lexically_normal();
    target = (is_here ? leads_to.filename() : leads_to).string();
  } else {
    const InputFile text(file(link));
    target.resize(std::min<std::size_t>(text.size(), 200));
    target.resize(text.read(0, target.data(), target.size()));
    target.resize(target.find_last_not_of("\r\n") + 1);
  }
  // trim() removes the targets of links some day, so a link must not point out of this folder.
  if (!step_folder(target))
    throw FileError("{}: links to '{}', which is not a checkpoint of this run", file(link), target);
  return target;
}

bool RunFolder::is_linked(const std::string& name) const {
  return name == linked(Kept::last) || name == linked(Kept::best);
}

void RunFolder::link(const std::string& name, bool best) const {
  for (const std::string each : {model_file, optimizer_file}) {
    std::error_code none;
    if (fs::is_symlink(fs::symlink_status(file(each), none))) continue;
    // In a copied run without links, this is a file of an earlier checkpoint, or the text of a
    // link.
    if (!made_link(file(each), fmt::format("{}/{}", link_of(Kept::last), each)))
      discard(file(each));
  }
  sync_to_disk(path_);
  // The best link comes first: after a crash between the two, training repeats the step and sets it
  // again.
  if (best) set_link(Kept::best, name);
  set_link(Kept::last, name);  // from here on, `name` is the last checkpoint
  sync_to_disk(path_);
}

void RunFolder::set_link(Kept which, const std::string& name) const {
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
    notice_(fmt::format("{}: damaged ({}); renamed to {}", file(copy), reason_of(error, file(copy)),
                        set_aside(copy)));
    return;
  }
  const auto is_same = [&](const char* each) {
    const std::string there = step.name() + "/" + each;
    return has(there) && same_bytes(file(there), file(copy + "/" + each));
  };
  const bool is_needed = has_foreign_files(copy);
  while (has(step.name()) && (is_needed || !(is_same(model_file) && is_same(optimizer_file))))
    ++step.again;
  write_in(path_, [&] {
    if (has(step.name()))
      discard(file(copy));
    else
      rename_file(file(copy), file(step.name()));
    set_link(which, step.name());
  });
}

}  // namespace tapehead
