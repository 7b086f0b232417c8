#pragma once
// Converts between the config.json of a GPT-2 model and Tapehead's options.
#include "../../train/config/registry.hpp"

namespace tapehead {

class Json;

/// The model that a config.json describes.
struct HubConfig {
  Settings settings;     ///< options of the model, and the task's `context`
  Index vocabulary = 0;  ///< number of tokens
  bool tied = true;      ///< whether the output head shares the embedding's weights
  std::string note;      ///< warning about settings imported only approximately; may be empty

  void untie();  ///< gives the model a separate output head
};

/// Parses a config.json. Throws FileError, which names `path`, if the model isn't GPT-2 or uses an
/// option that Tapehead lacks.
HubConfig read_hub_config(const std::string& text, const std::string& path);

/// Returns the config.json of a run's model. `end_of_text` is the token that starts and ends texts,
/// -1 for none. Throws UsageError, which names the first option that GPT-2 doesn't support.
Json hub_config(const TrainConfig& config, const ModelOptions& model, int end_of_text);

}  // namespace tapehead
