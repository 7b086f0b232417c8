#pragma once
// Runs an exercise's check to collect the expected numbers by hand. This file is included after
// exercise.hpp and replaces its Check and todo.
#include <cstdint>
#include <cstring>
#include <vector>

namespace learn {

/// Replaces todo: converts to a NaN that holds the number of the conversion in its lowest bits.
struct Hole {
  inline static std::uint32_t next = 0;
  operator double() const {
    std::uint64_t bits = 0x7ff8000000000000 + next++;
    double number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  template <class T>
  operator T() const {
    throw NotDone();
  }
};
constexpr Hole hole;

class HandRun : public Check {
 public:
  explicit HandRun(std::uint64_t whose) : Check(whose) { Hole::next = 0; }

  /// Calls `run` for the part "by hand" and skips all others. Part names are literals, so the
  /// compiler can drop the code of the skipped parts.
  template <class Run>
  [[gnu::always_inline]] void part(const char* name, const Run& run) {
    if (std::strcmp(name, "by hand") == 0) run();
  }
  void by_hand(const std::string&, double hole, double expected) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &hole, sizeof bits);
    const auto number = static_cast<std::size_t>(bits & 0xffffffff);
    if (number >= numbers.size()) numbers.resize(number + 1);
    numbers[number] = expected;
  }

  std::vector<double> numbers;
};

inline std::vector<double> numbers_of(void (*check)(HandRun&), std::uint64_t student) {
  HandRun run(student);
  check(run);
  return run.numbers;
}

}  // namespace learn
