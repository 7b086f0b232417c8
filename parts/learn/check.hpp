#pragma once
// Builds a student's work in C++ and says what is right. This takes a compiler and processes.
#include "exercises.hpp"
#include "work.hpp"

namespace tapehead {

/// What a student's program may take.
struct ProgramLimits {
  int seconds = 10;
  Index memory = 0;  ///< in megabytes of address space; 0: any
};

/// Builds exercise.cpp in the folder's `build`, with a check.cpp of the command's own, and runs it.
CheckedWork check_work(const Sheet& sheet, const ProgramLimits& limits = {});

}  // namespace tapehead
