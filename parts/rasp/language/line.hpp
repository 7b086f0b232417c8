#pragma once
#include "program.hpp"

namespace tapehead::rasp {

/// Parses a line `NAME = ...` and adds its sequence or selector to the program. Does nothing for an
/// empty line or a comment. Throws FileError as Program::fail does.
void parse_line(Program& program, const std::string& line, int number);

}  // namespace tapehead::rasp
