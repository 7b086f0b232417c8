#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../config.hpp"

namespace tapehead::fuzz {
namespace {

void hub_config(const std::string& input) {
  try {
    const HubConfig config = read_hub_config(input, "input");
    promise(config.vocabulary > 0 && !config.settings.empty(), "a model has tokens and sizes");
  } catch (const FileError&) {
  }
}
const Target hub_config_target("hub_config", hub_config);

}  // namespace

}  // namespace tapehead::fuzz
