#pragma once
// Describes this build. Defined in main.cpp alone, so that other tests compile to the same bytes in
// any checkout and link with either library.

namespace tapehead {

extern const char* const source_dir;      ///< the checkout
extern const char* const built_command;   ///< the program `tapehead`
extern const char* const built_faults;    ///< the library of faults/faults.cpp
extern const char* const built_one_file;  ///< the program of examples/one_file.cpp
extern const bool under_sanitizers;  ///< the library has sanitizers: steps take ten times as long

/// Whether to run the complete tests, as for a release (./dev test --all): all combinations, all
/// trainings, more repetitions. Otherwise, slow tests have a short form for the same errors.
extern const bool whole_tests;

/// Returns the number of repetitions of a random test: as given, or a tenth under the sanitizers,
/// which need few repetitions.
inline unsigned repeats(unsigned times) { return under_sanitizers ? times / 10 : times; }

}  // namespace tapehead
