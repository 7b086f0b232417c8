#include "../../train/huggingface/config.hpp"
#include "../../train/huggingface/tokens.hpp"
#include "../../train/huggingface/weights.hpp"
#include "../../train/runs/files.hpp"
#include "../commands/load_run.hpp"
#include "../terminal/output.hpp"
#include "exchange.hpp"

#include <filesystem>

namespace tapehead {
namespace {

struct ExportArguments {
  std::string run, folder, format, checkpoint;
};

/// The folder, which is made if it isn't there. Throws FileError if there is something in it.
void make_empty(const std::string& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (!reason && !std::filesystem::is_empty(folder, reason) && !reason)
    throw FileError("{} isn't empty; choose another folder, or remove it", folder);
  if (reason) throw FileError("{}: {}", folder, reason.message());
}

void export_model(const ExportArguments& arguments, const Session& session) {
  require_known("--format", arguments.format, {"huggingface"});
  const LoadedRun run = load_run(arguments.run, session.registry, {}, arguments.checkpoint);
  const std::optional<BytePairs> tokens = tokens_of_text(run.config.task_options);
  const Json config =
      hub_config(run.config, run.model->options, tokens ? tokens->end_of_text() : -1);
  std::map<std::string, std::string> files = {{"config.json", to_text(config, 2) + '\n'}};
  if (tokens) files.merge(hub_token_files(*tokens, static_cast<int>(run.model->options.context)));
  make_empty(arguments.folder);
  const std::string at = arguments.folder + "/";
  for (const auto& [name, text] : files) write_file(at + name, text);
  write_safetensors(at + "model.safetensors", hub_tensors(*run.model->module));
  std::string written = "model.safetensors";
  for (const auto& file : files) written += ", " + file.first;
  put("{}",
      wrapped(fmt::format("{}: {}", visible(arguments.folder), written), session.terminal.width));
  if (!tokens)
    put("{}",
        wrapped(fmt::format("the tokens of {} are no byte pairs: transformers has no tokenizer "
                            "for them",
                            run.config.task),
                session.terminal.width));
}

}  // namespace

void add_export_command(const Command& app, Session& session) {
  const Command command = app.add("export", "write a run's model for another program");
  const auto a = std::make_shared<ExportArguments>();
  command.positional("RUN", a->run, "folder of the run");
  command.positional("DIR", a->folder, "folder to write; it must be empty, or not there yet");
  a->format = "huggingface";
  command
      .option("--format", "huggingface", a->format,
              "a GPT-2 as transformers loads it, with its tokenizer")
      .shown_default(a->format);
  add_checkpoint(command, a->checkpoint);
  command.on_run([=, &session] { export_model(*a, session); });
}

}  // namespace tapehead
