#pragma once
// Limits of a task's options that depend on its other options.
#include "task.hpp"

namespace tapehead {

/// A limit, and its source if that is another option, such as `--length / 4`.
struct OptionLimit {
  OptionLimit(Index value_, std::string source_ = "") : value(value_), source(std::move(source_)) {}
  Index value;
  std::string source;
};

/// Returns option `name` as an integer, as the function without sources does. The UsageError names
/// the sources: `--pairs must be a whole number from 1 to 8 (--length / 4), not '20'`.
Index whole_option(const TaskOptions& options, const std::string& name, const OptionLimit& low,
                   const OptionLimit& high);

}  // namespace tapehead
