#pragma once
// Marks runs as diverged, so that they aren't mistaken for interrupted ones.
#include <string>

namespace tapehead {

constexpr const char* diverged_name = "diverged";

/// Writes the reason into the run folder, in one line. Throws FileError.
void mark_diverged(const std::string& run, const std::string& why);
/// Removes the mark, if any, because the run continues.
void clear_diverged(const std::string& run);
/// Returns the reason; empty if the run isn't marked. Throws FileError.
std::string divergence_reason(const std::string& run);

}  // namespace tapehead
