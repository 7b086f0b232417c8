#pragma once
// Option values as text.
#include "../../core/fields.hpp"

namespace tapehead {

// Convert text to values. Each function throws a UsageError that names the option, such as `--lr`.
Index to_index(const std::string& option, const std::string& text);
std::uint64_t to_seed(const std::string& option, const std::string& text);
double to_number(const std::string& option, const std::string& text);
bool to_flag(const std::string& option, const std::string& text);
/// Throws UsageError if the value is out of range.
void check_range(const std::string& option, Index value, Index low, Index high);
void check_range(const std::string& option, double value, Range range);

/// Returns the name of a value in the help: N, X, P for a fraction, FILE, true|false.
std::string kind_of(const Field& field);
std::string text_of(const Field& field);
/// Throws UsageError if the text isn't a value of the option's type.
void set_field(const Field& field, const std::string& text);
/// Throws UsageError that names the option if its value is out of range.
void check_field(const Field& field);

}  // namespace tapehead
