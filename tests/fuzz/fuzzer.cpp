// libFuzzer's way into a target: the compiler is told its name.
#include "targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tapehead::fuzz::TAPEHEAD_TARGET(std::string(data, data + size));
  return 0;
}
