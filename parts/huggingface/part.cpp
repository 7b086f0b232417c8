#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/options/untrained_run.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../core/system/file.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/files.hpp"
#include "../../train/plan.hpp"
#include "config.hpp"
#include "tokens.hpp"
#include "weights.hpp"

#include <filesystem>

namespace tapehead {
namespace {

struct ImportArguments {
  std::string folder, out, merges;
};

/// Returns the configuration of a run of the task `text` with these tokens and the model of a
/// config.json. Throws FileError if an option can't have the required value.
TrainConfig config_of(const HubConfig& hub, const BytePairs& tokens, const std::string& path,
                      const Registry& registry) {
  const TaskEntry& entry = registry.find_task("text");
  TrainConfig config = default_config(entry);
  for (const auto& [name, value] : text_options(tokens)) config.task_options[name] = value;
  try {
    apply(hub.settings, all_options(entry, registry), config);
    return validated(config, registry);
  } catch (const UsageError& error) {
    throw FileError("{}: {}", path, error.what());
  }
}

void import_model(const ImportArguments& arguments, const Session& session) {
  const std::string path = arguments.folder + "/config.json";
  HubConfig hub = read_hub_config(require_utf8(read_file(path), path), path);
  const HubTokens tokens = read_hub_tokens(arguments.folder, arguments.merges, hub.vocabulary);
  const HubWeights weights(arguments.folder);
  const bool is_own_head = hub.tied && weights.has_own_head();
  if (is_own_head) hub.untie();
  TrainConfig config = config_of(hub, tokens.tokens, path, session.registry);
  const std::unique_ptr<Task> task = make_task(config, session.registry);
  const auto model = make_meta_model(config, *task, session.registry);
  weights.load(*model->module, hub.tied, hub.vocabulary, tokens.ids);

  config.out = arguments.out.empty() ? RunFolder::free_path("gpt2") : arguments.out;
  NoOptimizer none;
  const RunFolder folder = write_run({config, *model->module, none, "imported"}, session.registry);
  const ModelOptions& o = model->options;
  put("{}", wrapped(session.terminal.width, "{} · {}, context {} · {}, {}, width {} · {}",
                    visible(folder.path()), grouped(o.vocabulary, "token"), o.context,
                    plural(o.layers, "layer"), plural(o.heads, "head"), o.width,
                    grouped(count_parameters(*model->module), "parameter")));
  const auto note = [&](const std::string& text) {
    if (!text.empty()) put("{}", wrapped(text, session.terminal.width));
  };
  note(hub.note);
  if (is_own_head)
    note(
        "lm_head.weight differs from the embedding although tie_word_embeddings is true: importing "
        "it as a separate head");
  if (tokens.unused > 0)
    note(fmt::format("skipped {} without a token", plural(tokens.unused, "id")));
}

void add_import_command(const Command& app, Session& session) {
  const Command command = app.add("import", "import a GPT-2 model from a Hugging Face folder");
  const auto a = std::make_shared<ImportArguments>();
  command.positional("DIR", a->folder,
                     "folder with config.json, model.safetensors, vocab.json and merges.txt");
  command.option("--out", "FOLDER", a->out, "run folder (default: first free runs/gpt2-N)");
  command.option("--merges", "FILE", a->merges, "merges file, if the folder has none");
  command.on_run([=, &session] { import_model(*a, session); });
}

/// Creates the folder if needed. Throws FileError if the folder isn't empty.
void make_empty(const std::string& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (!reason && !std::filesystem::is_empty(folder, reason) && !reason)
    throw FileError("{} isn't empty; choose another folder or remove it", folder);
  if (reason) throw FileError("{}: {}", folder, system::error_message(reason));
}

/// Exports a run to a folder that transformers can load as GPT-2. Returns the names of the files.
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
    names += fmt::format("; no tokenizer: transformers has none for {}", run.config.task);
  return names;
}

}  // namespace

/// Registers the command `import` and `export --format huggingface`.
void add_huggingface(Registry& registry) {
  registry.extend(CommandEntry{"import", add_import_command}.in("Manage"));
  registry.extend(
      ExportFormat{"huggingface", "GPT-2 and its tokenizer, for transformers", write_hub});
}

}  // namespace tapehead
