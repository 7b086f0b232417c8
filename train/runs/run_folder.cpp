#include "run_folder.hpp"
#include "../../core/system/file.hpp"
#include "checkpoint.hpp"
#include "diverged.hpp"
#include "files.hpp"
#include "labels.hpp"
#include "made_folders.hpp"
#include "metrics_file.hpp"
#include "step_folders.hpp"

#include <cerrno>
#include <filesystem>
#include <limits>
#include <utility>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

constexpr const char *config_name = "config.toml", *lock_name = "lock", *draft_name = "step.draft";
constexpr Index any_number = std::numeric_limits<Index>::max();

const char* link_of(RunFolder::Kept which) {
  return which == RunFolder::Kept::best ? "best" : "checkpoint";
}

void check(const std::error_code& reason, const std::string& path) {
  if (reason) throw FileError("{}: {}", path, system::in_words(reason));
}

/// Removes a file or folder: all of it at once, for it loses its name first. Whatever can't be
/// removed now is removed by sweep at the next resume.
void discard(const std::string& path) {
  std::error_code ignored;
  const std::string gone = unused_temporary(path);
  fs::rename(path, gone, ignored);
  fs::remove_all(gone, ignored);
}

void rename(const std::string& from, const std::string& to) {
  std::error_code reason;
  fs::rename(from, to, reason);
  check(reason, to);
}

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

/// The text of an error without the checkpoint's folder: `model.safetensors: not JSON`.
std::string reason_of(const FileError& error, const std::string& folder) {
  std::string text = error.what();
  for (const std::string& known : {folder + "/", std::string("damaged: ")})
    if (const std::size_t at = text.find(known); at != std::string::npos)
      text.erase(at, known.size());
  return text;
}

/// Whether the folder has nothing but a lock and the temporary files of a crash: it is that of a
/// run that never began, or is just beginning.
bool is_unused(const std::string& path) {
  std::error_code reason;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    if (const std::string name = at->path().filename().string();
        name != lock_name && !is_temporary(name))
      return false;
  check(reason, path);
  return true;
}

}  // namespace

RunFolder::RunFolder(const std::string& path, Notice notice)
    : path_(path), notice_(std::move(notice)) {
  if (path_.empty()) throw FileError("a run folder needs a path, and the one given is empty");
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

RunFolder RunFolder::create(const std::string& path) {
  RunFolder folder(path);
  folder.made_ = std::make_shared<MadeFolders>(folder.path_);
  const auto check_unused = [&] {
    if (!is_unused(folder.path_))
      throw FileError("{} exists already; choose another --out{}", folder.path_,
                      folder.has(config_name) ? fmt::format(", or continue it with --resume {}",
                                                            shell_word(folder.path_))
                                              : "");
  };
  check_unused();
  folder.lock_ = lock_file(folder.file(lock_name));
  folder.check_alone();
  check_unused();  // another process may have used it in the meantime
  try {
    folder.sweep();
  } catch (...) {
    folder.abandon();
    throw;
  }
  return folder;
}

void RunFolder::abandon() {
  check_locked();
  std::error_code ignored;
  for (const char* name : {metrics_table_name, events_name, samples_name, config_name, labels_name,
                           diverged_name, lock_name})
    fs::remove(file(name), ignored);
  fs::remove(fs::path(file(events_name)).parent_path(), ignored);  // if it is empty
  made_.reset();
}

RunFolder RunFolder::resume(const std::string& path, Notice notice, bool repair) {
  RunFolder folder(path, std::move(notice));
  // To be repaired, a run with a checkpoint may have lost its config.toml.
  if (!repair || !folder.has_checkpoint()) folder.check_is_run();
  write_in(folder.path_, [&] { folder.lock_ = lock_file(folder.file(lock_name)); });
  folder.check_alone();
  for (const Kept which : {Kept::last, Kept::best}) folder.restore_link(which);
  folder.sweep();
  repair ? folder.repair_metrics() : folder.check_metrics();
  folder.rewind_metrics(any_number);  // drops a line that was cut short
  return folder;
}

RunFolder RunFolder::open(const std::string& path, Notice notice) {
  RunFolder folder(path, std::move(notice));
  folder.check_is_run();
  return folder;
}

std::string RunFolder::free_path(const std::string& name) {
  for (Index i = 0;; ++i) {
    const std::string path = fmt::format("runs/{}-{}", name, i);
    std::error_code ignored;
    if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) return path;
  }
}

bool RunFolder::has(const std::string& name) const { return exists(file(name)); }

void RunFolder::check_is_run() const {
  std::error_code reason;
  const fs::directory_iterator readable(path_, reason);
  check(reason, path_);
  if (!has(config_name)) throw FileError("{}: no run is here, for there is no config.toml", path_);
}

void RunFolder::check_locked() const {
  if (!lock_) throw ValueError("{}: opened for reading only", path_);
}

void RunFolder::check_alone() const {
  if (!lock_) throw FileError("{}: another process is training here", path_);
}

void RunFolder::sweep() const {
  std::vector<std::string> leftovers;
  std::error_code reason;
  for (fs::directory_iterator at(path_, reason); !reason && at != fs::directory_iterator();
       at.increment(reason)) {
    const std::string name = at->path().filename().string();
    if (is_temporary(name) || name == draft_name) leftovers.push_back(name);
  }
  check(reason, path_);
  for (const std::string& name : leftovers) discard(file(name));
  trim(any_number);
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
      if (!is_kept_for_a_stranger(name)) discard(file(name));
    } else
      notice_(fmt::format("{}: damaged (a file is missing), set aside as {}", file(name),
                          set_aside(name)));
  }
}

std::string RunFolder::linked(Kept which) const {
  const std::string link = link_of(which);
  if (!has(link)) return {};
  std::error_code reason;
  const fs::file_status status = fs::symlink_status(file(link), reason);
  check(reason, file(link));
  if (fs::is_directory(status)) return link;
  std::string target;
  if (fs::is_symlink(status)) {
    const fs::path leads_to = fs::read_symlink(file(link), reason);
    check(reason, file(link));
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

bool RunFolder::is_complete(const std::string& name) const {
  return is_complete_checkpoint(file(name));
}

bool RunFolder::is_kept_for_a_stranger(const std::string& name) const {
  return is_complete(name) && !stranger_in_checkpoint(file(name)).empty();
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

void RunFolder::write_config(const std::string& toml) const {
  check_locked();
  write_in(path_, [&] { replace_file(file(config_name), toml); });
}
std::string RunFolder::read_config() const {
  return require_utf8(read_file(file(config_name)), file(config_name));
}

void RunFolder::commit() {
  check_locked();
  for (const auto& write : std::exchange(deferred_, {})) write();
}

void RunFolder::save(Module& model, Optimizer& optimizer, Index steps,
                     const SaveOptions& options) const {
  check_locked();
  if (steps < 0) throw ValueError("checkpoint: {} steps, and there are none below 0", steps);
  if (options.keep < 1) throw ValueError("--keep must be at least 1, not {}", options.keep);
  StepFolder next{steps};
  if (const auto newest = step_folder(last()); newest && newest->step == steps) next = *newest;
  while (is_linked(next.name()) || is_kept_for_a_stranger(next.name())) ++next.again;
  const std::string name = next.name();
  const auto remove_unfinished = [&] {
    discard(file(draft_name));
    if (!is_linked(name)) discard(file(name));
  };
  trim(options.keep);  // so that never more than one are there besides those that stay
  remove_unfinished();
  const auto write = [&] {
    std::error_code reason;
    fs::create_directory(file(draft_name), reason);
    check(reason, file(draft_name));
    TrainingRecord record = recorded_;
    record.digest_note = options.note;
    record.line = options.line;
    write_checkpoint(file(draft_name), model, optimizer, steps, options.average, record);
    MetricsFile(path_).sync();  // as durable as the checkpoint of their step
    rename(file(draft_name), file(name));
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
    refer(Kept::best, last());
    sync_to_disk(path_);
  });
  trim(keep);
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
      rename(file(copy), file(step.name()));
    refer(which, step.name());
  });
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

  const bool goes_on = lock_ && which == Kept::last;
  struct Damage {
    std::string name, text;
  };
  std::vector<Damage> damaged;
  for (const std::string& name : names) {
    Index steps = 0;
    try {
      steps = read(file(name));
    } catch (const MisfitError&) {
      throw;
    } catch (const SystemError&) {
      throw;  // what can't be read now may well be intact
    } catch (const FileError& error) {
      if (wanted() != first) return read_intact(which, read);  // it was replaced while being read
      damaged.push_back(
          {name, fmt::format("{}: damaged ({})", file(name), reason_of(error, file(name)))});
      continue;
    }
    std::string notice;
    for (const Damage& one : damaged) {
      notice += one.text;
      if (goes_on && has(one.name)) notice += ", set aside as " + set_aside(one.name);
      notice += "; ";
    }
    if (!damaged.empty())
      notice_(fmt::format("{}{} step {}", notice, lock_ ? "going on from" : "using", steps));
    if (goes_on && linked(Kept::last) != name) {
      // A crash, or a copy without links, may have lost the link to the best one as well.
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

CheckpointRecord RunFolder::last_record() const {
  CheckpointRecord record;
  if (has_checkpoint())
    read_intact(Kept::last, [&](const std::string& folder) {
      record = read_record(folder);
      return record.steps;
    });
  return record;
}

void RunFolder::append_metrics(const std::string& json_line) const {
  check_locked();
  MetricsFile(path_).append(json_line);
}

std::vector<std::string> RunFolder::read_metrics() const { return MetricsFile(path_).read(); }

void RunFolder::rewind_metrics(Index steps) const {
  check_locked();
  for (const char* name : {metrics_name, samples_name}) MetricsFile(path_, name).rewind(steps);
}

}  // namespace tapehead
