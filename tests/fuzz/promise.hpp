#pragma once
#include <stdexcept>
#include <string>

namespace tapehead::fuzz {

/// Throws std::logic_error, which no target catches, unless the promise is kept.
inline void promise(bool kept, const std::string& what) {
  if (!kept) throw std::logic_error("not kept: " + what);
}

}  // namespace tapehead::fuzz
