#include "../../../train/huggingface/config.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {

void hub_config(const std::string& input) {
  try {
    const HubConfig config = read_hub_config(input, "input");
    promise(config.vocabulary > 0 && !config.settings.empty(), "a model has tokens and sizes");
  } catch (const FileError&) {
  }
}

}  // namespace tapehead::fuzz
