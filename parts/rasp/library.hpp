#pragma once
#include "../../train/files/embedded_file.hpp"
#include "language/program.hpp"

#include <map>

namespace tapehead {

extern const EmbeddedFile rasp_programs[];  ///< NAME.rasp

namespace rasp {

/// Returns the texts of the included programs by name.
std::map<std::string, std::string> included_programs();
/// Returns a program by its name, a puzzle's name, its file, or its text of several lines. Throws
/// UsageError for an unknown name, FileError for an invalid file or program.
Program read_program(const std::string& program);

}  // namespace rasp
}  // namespace tapehead
