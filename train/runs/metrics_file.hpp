#pragma once
#include "../../core/error.hpp"
#include "../../core/shape.hpp"
#include "../files/json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

constexpr const char* metrics_name = "metrics.jsonl";
constexpr const char* metrics_table_name = "metrics.csv";  ///< the metrics as a table, with --csv
/// The texts generated at evaluations, one JSON object per line.
constexpr const char* samples_name = "samples.jsonl";

/// A failed write to the run folder, for example because the disk is full or read-only. Earlier
/// files are intact.
struct WriteError : FileError {
  WriteError(std::string run_, const std::string& text)
      : FileError("{}", text), run(std::move(run_)) {}
  std::string run;  ///< the run folder
};

/// Calls `write`, and turns its FileError into a WriteError of the run.
template <class Write>
void write_in(const std::string& run, const Write& write) {
  try {
    write();
  } catch (const FileError& error) {
    throw WriteError(run, error.what());
  }
}

/// The metrics or samples of a run. Each line is a JSON object with an integer "step". Functions
/// that write throw WriteError on failure.
class MetricsFile {
 public:
  /// Refers to the file in this run folder, which needn't exist yet.
  explicit MetricsFile(const std::string& run, const std::string& name = metrics_name)
      : run_(run), path_(run + "/" + name) {}

  /// Returns all complete lines; omits one that a crash cut short. Throws FileError that names the
  /// first damaged line.
  std::vector<std::string> read() const;
  /// Appends a line. Throws ValueError if it isn't a JSON object with an integer "step".
  void append(const std::string& line) const;
  /// Removes lines of steps after `steps`, and an incomplete last line. Removes the file if no line
  /// is left.
  void rewind(Index steps) const;
  /// Removes damaged lines, after copying the whole file to `aside` if there are any. Returns their
  /// number.
  Index repair(const std::string& aside) const;
  /// Returns why lines up to a checkpoint's step must be missing: the file is empty, or lacks a
  /// line that metrics.csv has. Otherwise returns an empty text.
  std::string lost_lines(Index step) const;
  void sync() const;  ///< syncs the file to disk

 private:
  std::vector<std::string> complete_lines() const;

  std::string run_, path_;
};

/// Calls `f` with the name and value of each number, text and null in a line of metrics.jsonl, in
/// order. The name is the JSON keys and array indices joined by '/'. Skips histograms.
void each_leaf(const Json& line, const std::function<void(const std::string&, const Json&)>& f);

}  // namespace tapehead
