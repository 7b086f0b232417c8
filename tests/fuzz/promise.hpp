#pragma once
#include <stdexcept>
#include <string>

namespace tapehead::fuzz {

/// Throws std::logic_error, which no target catches, if the promise is broken.
inline void promise(bool kept, const std::string& what) {
  if (!kept) throw std::logic_error("not kept: " + what);
}

}  // namespace tapehead::fuzz
