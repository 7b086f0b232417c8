#pragma once
#include "../../core/error.hpp"
#include "../../core/shape.hpp"
#include "../files/json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

constexpr const char* metrics_name = "metrics.jsonl";
constexpr const char* metrics_table_name = "metrics.csv";  ///< the same as a table, where asked for
/// The texts that the model generated at evaluations, in the same form.
constexpr const char* samples_name = "samples.jsonl";

/// Training can't write to the run's folder: the disk is full, or read-only. What was saved before
/// is intact.
struct WriteError : FileError {
  WriteError(std::string run_, const std::string& text)
      : FileError("{}", text), run(std::move(run_)) {}
  std::string run;  ///< its folder
};

/// Calls `write`, and turns its FileError into an WriteError of the run.
template <class Write>
void write_in(const std::string& run, const Write& write) {
  try {
    write();
  } catch (const FileError& error) {
    throw WriteError(run, error.what());
  }
}

/// The metrics of a run, or its samples: each line is a JSON object with an integer "step".
/// Functions that write throw WriteError if they can't.
class MetricsFile {
 public:
  /// Of the run in this folder. There may be no file yet.
  explicit MetricsFile(const std::string& run, const std::string& name = metrics_name)
      : run_(run), path_(run + "/" + name) {}

  /// All complete lines, without one that a crash cut short. Throws FileError that names the first
  /// that is damaged.
  std::vector<std::string> read() const;
  /// Throws ValueError for anything but such an object.
  void append(const std::string& line) const;
  /// Drops the lines of steps after `steps`, and one that was cut short. Removes a file without
  /// lines.
  void rewind(Index steps) const;
  /// Drops damaged lines, if there are any, after copying the whole file to `aside`. Returns
  /// their number.
  Index repair(const std::string& aside) const;
  /// Says why lines up to a checkpoint's step must be lost: the file is empty, or lacks a line that
  /// metrics.csv has. Empty if nothing is known to be lost.
  std::string lost_lines(Index step) const;
  void sync() const;  ///< to the disk

 private:
  std::vector<std::string> complete_lines() const;

  std::string run_, path_;
};

/// Calls `f` with each number, text and null in a line of metrics.jsonl, in order, and with its
/// name: its keys, and indices of arrays, joined by '/'. Histograms are left out.
void each_leaf(const Json& line, const std::function<void(const std::string&, const Json&)>& f);

}  // namespace tapehead
