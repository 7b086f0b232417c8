#pragma once
#include "task.hpp"

namespace tapehead {

/// A task whose examples are numbers: a program's own derives from it, draws them, and says what a
/// model of its own is to make small. What it draws depends on the arguments alone.
class NumberTask : public Task {
 public:
  Index vocabulary() const override { return 0; }
  Index context() const override { return 1; }
  bool has_answers() const override { return false; }
  std::string show(const std::vector<int>&) const override { return {}; }
  std::vector<int> parse(const std::string& text) const override {
    throw ValueError("'{}': this task has numbers, and no tokens", text);
  }
};

/// The random numbers of a training example. Its number is below 2^32.
inline Random example_random(std::uint64_t seed, Index step, Index number) {
  return Random(
      {seed, Draw::batch, static_cast<std::uint32_t>(step), 0, static_cast<std::uint32_t>(number)});
}

/// Those of a held-out one, apart from all of training.
inline Random example_random(Index number) {
  return Random({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)});
}

}  // namespace tapehead
