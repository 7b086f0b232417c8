#pragma once
// config.json of a GPT-2, and the options that it stands for.
#include "../../train/config/registry.hpp"

namespace tapehead {

class Json;

/// What a config.json says of a GPT-2.
struct HubConfig {
  Settings settings;     ///< of the model; the task's `context` among them
  Index vocabulary = 0;  ///< number of tokens
  bool tied = true;      ///< the head is the embedding
  std::string note;      ///< what is kept in part only; empty: all is

  void untie();  ///< the head is one of its own
};

/// Reads a config.json. Throws FileError that names `path` and what can't be done: another kind of
/// model, an option that ours doesn't have.
HubConfig read_hub_config(const std::string& text, const std::string& path);

/// The config.json of a run's model, which begins and ends texts with the token `end_of_text`, or
/// with none if it is -1. Throws UsageError that names the option by which the model is no GPT-2.
Json hub_config(const TrainConfig& config, const ModelOptions& model, int end_of_text);

}  // namespace tapehead
