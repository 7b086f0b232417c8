#pragma once
// Which build this is. Defined in main.cpp alone, so that the other tests compile to the same bytes
// wherever the checkout lies, and link with either library.

namespace tapehead {

extern const char* const source_dir;     ///< the checkout
extern const char* const built_command;  ///< the program `tapehead`
extern const bool under_sanitizers;      ///< the library is: steps take ten times as long

}  // namespace tapehead
