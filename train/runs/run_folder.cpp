// Creates, opens, locks, cleans up and repairs run folders.
#include "run_folder.hpp"
#include "../files/created_folders.hpp"
#include "diverged.hpp"
#include "labels.hpp"
#include "metrics_file.hpp"
#include "provenance.hpp"
#include "run_folder_shared.hpp"

#include <utility>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

constexpr const char *config_name = "config.toml", *lock_name = "lock";

/// Returns whether the folder has only a lock and temporary files: its run never began, or is just
/// beginning.
bool is_unused(const std::string& path) {
  std::error_code reason;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    if (const std::string name = at->path().filename().string();
        name != lock_name && !is_temporary(name))
      return false;
  check_system(reason, path);
  return true;
}

}  // namespace

RunFolder::RunFolder(const std::string& path, Notice notice)
    : path_(path), notice_(std::move(notice)) {
  if (path_.empty()) throw FileError("the path of the run folder is empty");
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

RunFolder RunFolder::create(const std::string& path) {
  RunFolder folder(path);
  folder.made_ = std::make_shared<CreatedFolders>(folder.path_);
  const auto check_unused = [&] {
    if (!is_unused(folder.path_))
      throw FileError("{} exists already; choose another --out{}", folder.path_,
                      folder.has(config_name) ? fmt::format(", or continue it with --resume {}",
                                                            shell_word(folder.path_))
                                              : "");
  };
  check_unused();
  folder.lock_ = lock_file(folder.file(lock_name));
  folder.check_lock_acquired();
  check_unused();  // another process may have used the folder meanwhile
  try {
    folder.remove_leftovers();
  } catch (...) {
    folder.abandon();
    throw;
  }
  return folder;
}

void RunFolder::abandon() {
  check_locked();
  std::error_code ignored;
  for (const char* name :
       {metrics_table_name, events_name, samples_name, data_name, validation_name, config_name,
        labels_name, provenance_name, diverged_name, lock_name})
    fs::remove(file(name), ignored);
  fs::remove(fs::path(file(events_name)).parent_path(), ignored);  // fails unless it is empty
  made_.reset();
}

RunFolder RunFolder::resume(const std::string& path, Notice notice, bool repair) {
  RunFolder folder(path, std::move(notice));
  // A repair doesn't need config.toml if there is a checkpoint.
  if (!repair || !folder.has_checkpoint()) folder.check_is_run();
  write_in(folder.path_, [&] { folder.lock_ = lock_file(folder.file(lock_name)); });
  folder.check_lock_acquired();
  for (const Kept which : {Kept::last, Kept::best}) folder.restore_link(which);
  folder.remove_leftovers();
  repair ? folder.repair_metrics() : folder.check_metrics();
  folder.rewind_metrics(any_number);  // drops an incomplete last line
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
  check_system(reason, path_);
  if (!has(config_name)) throw FileError("{}: not a run folder: it has no config.toml", path_);
}

void RunFolder::check_locked() const {
  if (!lock_) throw ValueError("{}: opened for reading only", path_);
}

void RunFolder::check_lock_acquired() const {
  if (!lock_) throw FileError("{}: another process is training here", path_);
}

void RunFolder::remove_leftovers() const {
  std::vector<std::string> leftovers;
  std::error_code reason;
  for (fs::directory_iterator at(path_, reason); !reason && at != fs::directory_iterator();
       at.increment(reason)) {
    const std::string name = at->path().filename().string();
    if (is_temporary(name) || name == draft_name) leftovers.push_back(name);
  }
  check_system(reason, path_);
  for (const std::string& name : leftovers) discard(file(name));
  trim(any_number);
}

void RunFolder::write_config(const std::string& toml) const {
  check_locked();
  write_in(path_, [&] { replace_file(file(config_name), toml); });
}
std::string RunFolder::write_examples(const char* name, const std::string& jsonl) const {
  check_locked();
  write_in(path_, [&] { replace_file(file(name), jsonl); });
  return file(name);
}
std::string RunFolder::read_config() const {
  return require_utf8(read_file(file(config_name)), file(config_name));
}

void RunFolder::commit() {
  check_locked();
  for (const auto& write : std::exchange(deferred_, {})) write();
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

// ---- damaged files are renamed and missing metrics are detected; nothing is removed

std::string RunFolder::unused_damaged_name(const std::string& name) const {
  std::string aside = name + ".damaged";
  for (Index i = 2; has(aside); ++i) aside = fmt::format("{}.damaged-{}", name, i);
  return aside;
}

std::string RunFolder::set_aside(const std::string& name) const {
  check_locked();
  const std::string aside = unused_damaged_name(name);
  write_in(path_, [&] { rename_file(file(name), file(aside)); });
  return aside;
}

Index RunFolder::drop_damaged_lines(const std::string& name) const {
  const std::string aside = unused_damaged_name(name);
  const Index dropped = MetricsFile(path_, name).repair(file(aside));
  if (dropped > 0)
    notice_(fmt::format("{}: dropped damaged lines: {}; the original file is saved as {}",
                        file(name), dropped, aside));
  return dropped;
}

void RunFolder::repair_metrics() const {
  drop_damaged_lines(samples_name);
  const Index dropped = drop_damaged_lines(metrics_name);
  const std::string loss = MetricsFile(path_).lost_lines(last_step());
  if (!loss.empty()) notice_(fmt::format("{}: {}", file(metrics_name), loss));
  if (exists(file(metrics_name)) && read_file(file(metrics_name)).empty()) set_aside(metrics_name);
  if (dropped == 0 && loss.empty()) return;
  // Renames the files derived from the metrics, which may have rows for lines that are now missing.
  for (const std::string& name :
       {std::string(metrics_table_name), std::filesystem::path(events_name).parent_path().string()})
    if (has(name))
      notice_(fmt::format("{}: may have rows that are missing in {}; renamed to {}", file(name),
                          metrics_name, set_aside(name)));
}

void RunFolder::check_metrics() const {
  if (!has_checkpoint()) return;
  if (const std::string loss = MetricsFile(path_).lost_lines(last_step()); !loss.empty())
    throw FileError(
        "{}: {}; restore the file, or continue without its lines: train --resume {} --repair",
        file(metrics_name), loss, shell_word(path_));
}

}  // namespace tapehead
