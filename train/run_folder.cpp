#include <tapehead/train/checkpoint.hpp>
#include <tapehead/train/files.hpp>
#include <tapehead/train/run_folder.hpp>
#include <tapehead/train/safetensors.hpp>

#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

constexpr const char *config_name = "config.toml", *metrics_name = "metrics.jsonl",
                     *lock_name = "lock", *draft_name = "step.draft", *again = "-again";

const char* link_of(RunFolder::Kept which) {
  return which == RunFolder::Kept::best ? "best" : "checkpoint";
}

void check(const std::error_code& reason, const std::string& path) {
  if (reason) throw FileError("{}: {}", path, reason.message());
}

/// What can't be removed now is swept at the next resume.
void remove_all(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void rename(const std::string& from, const std::string& to) {
  std::error_code reason;
  fs::rename(from, to, reason);
  check(reason, to);
}

/// step-500, or step-500-again where there was one of the same step, and once more for a third.
bool is_step(const std::string& name) {
  const std::string start = "step-";
  if (name.compare(0, start.size(), start) != 0) return false;
  const std::size_t digits =
      std::min(name.find_first_not_of("0123456789", start.size()), name.size());
  std::string rest = name.substr(digits);
  while (rest.compare(0, std::strlen(again), again) == 0) rest.erase(0, std::strlen(again));
  return digits > start.size() && rest.empty();
}

/// The folders that `create` has made: they go again unless it gets to the end.
class MadeFolders {
 public:
  explicit MadeFolders(const std::string& path) {
    try {
      make(path);
    } catch (...) {
      undo();
      throw;
    }
  }
  ~MadeFolders() { undo(); }
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

  void keep() { made_.clear(); }

 private:
  void make(const std::string& path) {
    fs::path folder;
    for (const fs::path& part : fs::path(path)) {
      folder /= part;
      std::error_code reason;
      if (fs::is_directory(folder, reason)) continue;
      if (fs::create_directory(folder, reason)) made_.push_back(folder);
      if (reason == std::errc::file_exists) reason = make_error_code(std::errc::not_a_directory);
      check(reason, folder.string());
    }
  }
  void undo() {
    std::error_code ignored;  // one that isn't empty has become somebody else's
    for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), ignored);
  }

  std::vector<fs::path> made_;
};

/// Whether there is nothing in it but a lock: of a run that never began, or is just beginning.
bool is_unused(const std::string& path) {
  std::error_code reason;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    if (at->path().filename() != lock_name) return false;
  check(reason, path);
  return true;
}

/// The step of a line of metrics, if it is one.
std::optional<Index> step_of(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || line.find_first_of(std::string("\n\0", 2)) != std::string::npos)
    return {};
  const auto step = json.find("step");
  if (step == json.end() || !step->is_number_integer()) return {};
  return step->get<Index>();
}

}  // namespace

RunFolder::RunFolder(const std::string& path) : path_(path) {
  if (path_.empty()) throw FileError("a run folder needs a path, and the one given is empty");
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

RunFolder RunFolder::create(const std::string& path) {
  RunFolder folder(path);
  MadeFolders made(folder.path_);
  const auto check_unused = [&] {
    if (!is_unused(folder.path_))
      throw FileError("{0} exists already; choose another --out, or continue it with --resume {0}",
                      folder.path_);
  };
  check_unused();
  folder.lock();
  check_unused();  // somebody else may have been here between
  made.keep();
  return folder;
}

RunFolder RunFolder::resume(const std::string& path) {
  RunFolder folder(path);
  folder.check_is_run();
  folder.lock();
  // sooner than after hours of training
  for (const Kept which : {Kept::last, Kept::best})
    if (folder.kept(which) == link_of(which))
      throw FileError(
          "{}: not a link; a run that is to be continued is copied with its links (cp -a)",
          folder.file(link_of(which)));
  folder.sweep();
  folder.rewind_metrics(std::numeric_limits<Index>::max());  // a line cut short goes
  return folder;
}

RunFolder RunFolder::open(const std::string& path) {
  RunFolder folder(path);
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

bool RunFolder::has(const std::string& name) const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file(name), ignored));
}

void RunFolder::check_is_run() const {
  std::error_code reason;
  const fs::directory_iterator readable(path_, reason);
  check(reason, path_);
  if (!has(config_name)) throw FileError("{}: no run is here, for there is no config.toml", path_);
}

void RunFolder::check_locked() const {
  if (!lock_) throw ValueError("{}: opened for reading alone", path_);
}

void RunFolder::lock() {
  lock_ = lock_file(file(lock_name));
  if (!lock_) throw FileError("{}: another process is training here", path_);
}

/// Drafts, and checkpoints that were not yet linked to, or no longer.
void RunFolder::sweep() const {
  std::vector<std::string> leftovers;
  std::error_code reason;
  for (fs::directory_iterator at(path_, reason); !reason && at != fs::directory_iterator();
       at.increment(reason)) {
    const std::string name = at->path().filename().string();
    if (is_temporary(name) || name == draft_name || (is_step(name) && !is_kept(name)))
      leftovers.push_back(name);
  }
  check(reason, path_);
  for (const std::string& name : leftovers) remove_all(file(name));
}

std::string RunFolder::kept(Kept which) const {
  const std::string link = link_of(which);
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(file(link), ignored);
  if (!fs::exists(status)) return {};
  if (!fs::is_symlink(status)) return link;  // a copy without links can still be read
  const std::string target = fs::read_symlink(file(link), ignored).string();
  // one day it gets removed: never follow it out of here
  if (!is_step(target))
    throw FileError("{}: links to '{}', which is no step of this run", file(link), target);
  return target;
}

bool RunFolder::is_kept(const std::string& name) const {
  return name == kept(Kept::last) || name == kept(Kept::best);
}

bool RunFolder::has_checkpoint() const { return has(link_of(Kept::last)); }

void RunFolder::write_config(const std::string& toml) const {
  check_locked();
  write_file(file(config_name), toml);
}
std::string RunFolder::read_config() const {
  return require_utf8(read_file(file(config_name)), file(config_name));
}

void RunFolder::save(Module& model, Optimizer& optimizer, Index steps, WeightAverage* average,
                     bool best) const {
  check_locked();
  if (steps < 0) throw ValueError("checkpoint: {} steps, and there are none below 0", steps);
  const std::vector<std::string> before = {kept(Kept::last), kept(Kept::best)};
  std::string next = fmt::format("step-{}", steps);
  while (is_kept(next)) next += again;
  const auto remove_unfinished = [&] {
    for (const std::string& name : {std::string(draft_name), next})
      if (!is_kept(name)) remove_all(file(name));
  };
  remove_unfinished();
  try {
    std::error_code reason;
    fs::create_directory(file(draft_name), reason);
    check(reason, file(draft_name));
    write_checkpoint(file(draft_name), model, optimizer, steps, average);
    rename(file(draft_name), file(next));
    const std::string link = link_of(Kept::last);
    for (const std::string name : {model_file, optimizer_file})
      if (!has(name)) replace_link(file(name), fmt::format("{}/{}", link, name));
    if (has(metrics_name)) sync_to_disk(file(metrics_name));  // they last as long as their step
    sync_to_disk(path_);
    // The best first: what a crash between the two leaves is found again by the same steps.
    if (best) replace_link(file(link_of(Kept::best)), next);
    replace_link(file(link), next);  // from here on this is the checkpoint
  } catch (...) {
    remove_unfinished();
    throw;
  }
  sync_to_disk(path_);
  for (const std::string& name : before)
    if (!name.empty() && !is_kept(name)) remove_all(file(name));
}

Index RunFolder::load(Module& model, Optimizer* optimizer, WeightAverage* average,
                      Kept which) const {
  for (;;) {
    const std::string now = kept(which);
    if (now.empty())
      throw FileError("{}: no {} has been saved yet", path_,
                      which == Kept::best ? "best checkpoint" : "checkpoint");
    try {
      return read_checkpoint(file(now), model, optimizer, average);
    } catch (const FileError&) {
      if (kept(which) == now) throw;  // else it was replaced while being read
    }
  }
}

void RunFolder::append_metrics(const std::string& json_line) const {
  check_locked();
  if (!step_of(json_line))
    throw ValueError("metrics: a line is a JSON object with an integer \"step\", not {}",
                     quoted(json_line));
  append_file(file(metrics_name), json_line + "\n");
}

std::vector<std::string> RunFolder::read_metrics() const {
  std::vector<std::string> lines;
  if (!has(metrics_name)) return lines;
  const std::string text = read_file(file(metrics_name));
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void RunFolder::rewind_metrics(Index steps) const {
  check_locked();
  if (!has(metrics_name)) return;
  std::string kept;
  Index number = 0;
  for (const std::string& line : read_metrics()) {
    ++number;
    const auto step = step_of(line);
    if (!step)
      throw FileError("{}: line {} is not a JSON object with an integer \"step\"",
                      file(metrics_name), number);
    if (*step <= steps) kept += line + "\n";
  }
  write_file(file(metrics_name), kept);
}

}  // namespace tapehead
