#pragma once
// Measurements of a run: a number from its metrics or from the output of a command.
#include "../../cli/commands/commands.hpp"

#include <map>

namespace tapehead {

/// A measurement of one run, and how a table shows it:
///   first step with KEY < X         first step at which a metric satisfies the comparison
///   last KEY, lowest KEY, highest KEY
///   mean KEY from A % to B %        over these steps, in percent of the run's steps
///   median KEY from A % to B %
///   eval OPTIONS: KEY               from the JSON document that a command prints for the run
/// A KEY is a path in a line of metrics.jsonl, such as metrics.sharpness; with `*` for a name or
/// an index, the value is the mean of all matches. `, percent` multiplies by 100. A row shows the
/// median of its runs; `, highest seed`, `, lowest seed` and `, mean of seeds` choose another
/// value.
struct StudyMeasure {
  enum class Kind { first, last, lowest, highest, mean, median, command } kind = Kind::last;
  enum class OverSeeds { median, highest, lowest, mean } over_seeds = OverSeeds::median;
  std::string name;         ///< heading of its column
  std::string text;         ///< as written in the file
  std::string place;        ///< path and line of the file
  std::string key;          ///< path in a JSON document
  std::string op;           ///< first: <, <=, > or >=
  double bound = 0;         ///< first: the number to compare with
  double from = 0, to = 1;  ///< mean and median: fractions of the run's steps
  std::string command;      ///< command: the command and its options, without the run
  bool percent = false;

  /// Returns whether values are numbers of steps.
  bool counts_steps() const { return kind == Kind::first; }
};
/// Parses a measure. Throws FileError that names the place.
StudyMeasure parse_measure(const std::string& name, const std::string& text,
                           const std::string& place);

/// Returns the mean of the numbers at a path in a document; NaN if there is none.
double value_at(const Json& document, const std::string& key);
/// Returns whether a value satisfies a comparison.
bool compares(double value, const std::string& op, double bound);
/// Splits `< 5` into the comparison and the rest. Returns an empty comparison for other text.
std::pair<std::string, std::string> split_comparison(const std::string& text);

/// Computes a measure from the lines of metrics.jsonl of a run with this many steps. Returns NaN if
/// the lines don't have the key, and infinity if no step satisfies the comparison.
double measured(const StudyMeasure& measure, const std::vector<Json>& lines, Index steps);

/// A cache file of the JSON documents that commands print for finished runs.
class CommandResults {
 public:
  CommandResults(const std::string& path, const Session& session);
  /// Returns the JSON document that the command prints for the run in this folder; null if the
  /// command fails. Runs a command that succeeds only once per weight hash.
  Json of(const std::string& command, const std::string& folder, const std::string& digest);
  /// Returns the first error of a command, `RUN: ERROR`; empty if it never failed.
  std::string failure(const std::string& command) const;

 private:
  const std::string path_;
  const Session& session_;
  std::vector<Json> known_;
  std::map<std::string, std::string> failures_;  // by command
};

}  // namespace tapehead
