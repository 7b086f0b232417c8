#pragma once

namespace tapehead {

/// The project and git commit of a program's sources. `tapehead_record_commit` of CMake compiles
/// one into a program.
struct ProgramSource {
  /// Both texts must outlive the program's runs. An empty commit is unknown.
  ProgramSource(const char* project, const char* commit);
};

}  // namespace tapehead
