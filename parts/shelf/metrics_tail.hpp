#pragma once
// A few lines of a metrics.jsonl that may be long: no more of it is read than they take.
#include "../../train/runs/files.hpp"
#include "../../train/runs/json.hpp"

namespace tapehead {

class MetricsTail {
 public:
  /// Of the run in this folder. Throws FileError.
  explicit MetricsTail(const std::string& run);

  // Each is null where there is no such line. Throws FileError where a line that it looks at is
  // damaged.
  Json last() const;               ///< the last that is complete
  Json last_evaluated() const;     ///< the last with an evaluation
  Json of_step(Index step) const;  ///< steps ascend, so it is searched for by halves

 private:
  /// The bytes from one offset to another.
  std::string bytes(std::uint64_t begin, std::uint64_t end) const;
  /// Hands on complete lines from the last one back, until `take` returns true.
  void backward(const std::function<bool(const std::string& line)>& take) const;
  /// The first line that begins at `at` or after it, and before `end`; it moves `at` to the line's
  /// end. Empty where there is none.
  std::string line_from(std::uint64_t& at, std::uint64_t end) const;
  Json parsed(const std::string& line) const;

  InputFile file_;
};

}  // namespace tapehead
