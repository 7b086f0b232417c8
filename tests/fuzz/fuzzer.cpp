// Implements libFuzzer's entry point, which runs the single target of its program.
#include "targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tapehead::fuzz::targets().begin()->second(std::string(data, data + size));
  return 0;
}
