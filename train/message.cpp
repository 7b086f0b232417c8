#include "message.hpp"
#include "utf8.hpp"

#include <cstdio>
#include <new>

namespace tapehead {

void message(const std::string& line) noexcept {
  try {
    std::fputs((visible(line) + '\n').c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
  }
}

}  // namespace tapehead
