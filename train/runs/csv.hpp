#pragma once
#include <string>

namespace tapehead {

/// A cell of a table as CSV: quoted where it has to be (RFC 4180).
std::string csv_cell(const std::string& text);
/// All digits of a number; empty where it isn't finite.
std::string csv_cell(double value);

}  // namespace tapehead
