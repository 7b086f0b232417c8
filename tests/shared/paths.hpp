#pragma once
// Where this build is. Defined in main.cpp alone, so that all other tests compile to the same bytes
// wherever the checkout lies.

namespace tapehead {

extern const char* const source_dir;     ///< the checkout
extern const char* const built_command;  ///< the program `tapehead`

}  // namespace tapehead
