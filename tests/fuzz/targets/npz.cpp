#include "../../../train/arrays/npz.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {

void npz(const std::string& input) {
  try {
    decode_npz(input, "input");
  } catch (const FileError&) {
  }
}

}  // namespace tapehead::fuzz
