#pragma once
#include "../../core/shape.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace tapehead {

/// A source, its target, and the number of the line on which they begin.
struct Pair {
  std::string_view source, target;  ///< valid only during the call that gets them
  Index line;
};

/// Calls f with each source/target pair of a file's contents. The name's ending sets the format:
/// .csv is CSV (RFC 4180), .jsonl has an object with `source` and `target` per line, and anything
/// else has a tab between source and target. Skips empty lines, a byte order mark, and a first row
/// `source`, `target`. Throws FileError, with path and line, for a line in any other form.
void each_pair(std::string_view text, const std::string& path,
               const std::function<void(const Pair&)>& f);

}  // namespace tapehead
