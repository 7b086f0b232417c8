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

/// Returns the generator for training example `number`, which must be below 2^32.
inline Random example_random(std::uint64_t seed, Index step, Index number) {
  return Random(
      {seed, Draw::batch, static_cast<std::uint32_t>(step), 0, static_cast<std::uint32_t>(number)});
}

/// Returns the generator for a validation example. Its numbers are independent of all training
/// examples.
inline Random example_random(Index number) {
  return Random({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)});
}

}  // namespace tapehead
