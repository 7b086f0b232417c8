#pragma once
// Whether a run diverged: else it would look like one that was interrupted.
#include <string>

namespace tapehead {

constexpr const char* diverged_name = "diverged";

/// Records in the run's folder why it can't go on, in one line. Throws FileError.
void mark_diverged(const std::string& run, const std::string& why);
/// Forgets it, where there is such a record: the run goes on after all.
void clear_diverged(const std::string& run);
/// What is recorded; empty where nothing is. Throws FileError.
std::string divergence_reason(const std::string& run);

}  // namespace tapehead
