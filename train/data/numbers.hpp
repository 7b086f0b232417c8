#pragma once
#include "task.hpp"

namespace tapehead {

/// The base class of tasks whose examples are numbers instead of tokens. A subclass defines the
/// loss, and draws examples that depend only on the arguments.
class NumberTask : public Task {
 public:
  Index vocabulary() const override { return 0; }
  Index context() const override { return 1; }
  bool has_answers() const override { return false; }
  std::string show(const std::vector<int>&) const override { return {}; }
  std::vector<int> parse(const std::string& text) const override {
    throw ValueError("can't parse '{}': the task's examples are numbers, not tokens", text);
  }
};

}  // namespace tapehead
