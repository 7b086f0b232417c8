#pragma once
// Provenance of a run: which code trained it, when, on which machine, and by which command. It
// differs between equal runs, so nothing else in the run depends on it.
#include "../config/registry.hpp"
#include "../files/json.hpp"

namespace tapehead {

/// Has a JSON object per session, one per line. A session is one invocation that trained.
constexpr const char* provenance_name = "provenance.jsonl";

/// Returns the compiler's name and version, the build type, and additional compiler flags:
/// `GCC 12.2.0 Release`.
std::string compiler_name();

/// Returns a session of this program that begins now:
///   started   date and time (UTC), 2026-11-29T01:54:18Z
///   version, numerics, compiler, program
///   project, commit   of a program with a ProgramSource
///   command   the command line, if known
///   host      name of the machine
/// The first session of weights that weren't drawn has a member `weights`: compiled, imported or
/// saved.
Json begin_session(const Registry& registry);
/// Appends a session that continues after `step` to a run's sessions, atomically. Throws
/// WriteError.
void append_session(const std::string& run, const Json& session, Index step);
/// Returns a run's sessions in order. Skips damaged lines. Returns nothing for a run of a version
/// that recorded none.
std::vector<Json> read_sessions(const std::string& run);

/// Returns how the weights of a run's first step came about: compiled, imported or saved. Empty if
/// they were drawn.
std::string origin_of_weights(const std::vector<Json>& sessions);

/// Returns the number of a session's numerics. Returns nothing for a run without sessions, whose
/// numerics are unknown.
std::optional<Index> numerics_of(const Json& session);
/// Returns the number of the numerics that computed a run's weights of a step, if known.
std::optional<Index> numerics_at(const std::string& run, Index step);

/// Returns `step 20: 2026-11-29T01:54:18Z on HOST, version 0.2.0, numerics 1, GCC 12.2.0 Release:
/// COMMAND`.
std::string session_text(const Json& session);
/// Returns how this program differs from a session's in version, numerics, compiler or commit:
/// `version 0.1.0, but this is version 0.2.0`. Returns an empty text if they are equal or not
/// recorded.
std::string code_changes(const Json& session);
/// Returns what the changes mean: `both have numerics 1`, or `results may differ` if the commit or
/// the numerics differ or the numerics are unknown.
std::string effect_of_changes(const Json& session);

}  // namespace tapehead
