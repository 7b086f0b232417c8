#pragma once
// The half of grading that takes a compiler: each exercise.cpp in a process of its own.
#include "../check.hpp"

namespace tapehead {

struct CodeLimits {
  Index jobs = 1;         ///< at once
  ProgramLimits program;  ///< the compiler has two minutes besides
};

struct HandedInCode {
  const Exercise* exercise;
  std::uint64_t student;
  std::string code;  ///< of exercise.cpp
};

/// Checks each in a temporary folder, which is removed. Whatever happens to one is its `error`.
std::vector<CheckedWork> check_code(const std::vector<HandedInCode>& all, const CodeLimits& limits);

}  // namespace tapehead
