#pragma once
// Which build this is. Defined in main.cpp alone, so that the other tests compile to the same bytes
// wherever the checkout lies, and link with either library.

namespace tapehead {

extern const char* const source_dir;     ///< the checkout
extern const char* const built_command;  ///< the program `tapehead`
extern const char* const built_faults;   ///< the library of faults/faults.cpp
extern const bool under_sanitizers;      ///< the library is: steps take ten times as long

/// Whether tests run in their whole length, as for a release (./dev test --all): all combinations,
/// all trainings, more repetitions. Else what takes more than seconds has a short form that looks
/// for the same faults.
extern const bool whole_tests;

/// How often a test repeats something at random: as often as given, or a tenth of it under the
/// sanitizers, since what they look for shows in a few repetitions.
inline unsigned repeats(unsigned times) { return under_sanitizers ? times / 10 : times; }

}  // namespace tapehead
