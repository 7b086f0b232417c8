#include "../../core/system/file.hpp"
#include "../../train/config/options.hpp"
#include "../../train/runs/files.hpp"
#include "config.hpp"
#include "part.hpp"
#include "tokens.hpp"
#include "weights.hpp"

#include <filesystem>

namespace tapehead {
namespace {

/// The folder, which is made if it isn't there. Throws FileError if there is something in it.
void make_empty(const std::string& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (!reason && !std::filesystem::is_empty(folder, reason) && !reason)
    throw FileError("{} isn't empty; choose another folder, or remove it", folder);
  if (reason) throw FileError("{}: {}", folder, system::in_words(reason));
}

}  // namespace

std::string write_hub(const LoadedRun& run, const std::string& folder) {
  const std::optional<BytePairs> tokens = tokens_of_text(run.config.task_options);
  const ModelOptions& model = run.model->options;
  const Json config = hub_config(run.config, model, tokens ? tokens->end_of_text() : -1);
  std::map<std::string, std::string> files = {{"config.json", to_text(config, 2) + '\n'}};
  const int context = static_cast<int>(model.context);
  auto token_files =
      tokens ? hub_token_files(*tokens, context) : hub_token_files(*run.task, context);
  const bool has_tokenizer = !token_files.empty();
  files.merge(token_files);
  make_empty(folder);
  std::string names = "model.safetensors";
  write_safetensors(folder + "/" + names, hub_tensors(*run.model->module));
  for (const auto& [name, text] : files) {
    write_file(folder + "/" + name, text);
    names += ", " + name;
  }
  if (!has_tokenizer)
    names += fmt::format("; transformers has no tokenizer for {}", run.config.task);
  return names;
}

}  // namespace tapehead
