#pragma once

namespace tapehead {

/// The project and git commit of a program's sources. CMake's `tapehead_record_commit` adds one to
/// a program.
struct ProgramSource {
  /// Both texts must outlive all runs. `commit` is empty if unknown.
  ProgramSource(const char* project, const char* commit);
};

}  // namespace tapehead
