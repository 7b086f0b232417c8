#include "../../npz.hpp"
#include "../../../../tests/fuzz/targets.hpp"

namespace tapehead::fuzz {
namespace {

void npz(const std::string& input) {
  try {
    decode_npz(input, "input");
  } catch (const FileError&) {
  }
}
const Target npz_target("npz", npz);

}  // namespace

}  // namespace tapehead::fuzz
