#pragma once
#include "../../core/error.hpp"

namespace tapehead {

/// Training can't write to the run's folder: the disk is full, or read-only. What was saved before
/// is intact.
struct UnwrittenError : FileError {
  UnwrittenError(std::string run_, const std::string& text)
      : FileError("{}", text), run(std::move(run_)) {}
  std::string run;  ///< its folder
};

/// Calls `write`, and turns its FileError into an UnwrittenError of the run.
template <class Write>
void write_in(const std::string& run, const Write& write) {
  try {
    write();
  } catch (const FileError& error) {
    throw UnwrittenError(run, error.what());
  }
}

}  // namespace tapehead
