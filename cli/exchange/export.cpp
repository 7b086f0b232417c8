#include "../../train/arrays/npz.hpp"
#include "../../train/huggingface/config.hpp"
#include "../../train/huggingface/tokens.hpp"
#include "../../train/huggingface/weights.hpp"
#include "../../train/onnx/onnx.hpp"
#include "../../train/runs/files.hpp"
#include "../commands/load_run.hpp"
#include "../terminal/output.hpp"
#include "exchange.hpp"

#include <filesystem>

namespace tapehead {
namespace {

struct ExportArguments {
  std::string run, to, format, checkpoint;
};

/// The folder, which is made if it isn't there. Throws FileError if there is something in it.
void make_empty(const std::string& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (!reason && !std::filesystem::is_empty(folder, reason) && !reason)
    throw FileError("{} isn't empty; choose another folder, or remove it", folder);
  if (reason) throw FileError("{}: {}", folder, reason.message());
}

/// The names of what was written.
std::string write_hub(const LoadedRun& run, const std::string& folder) {
  const std::optional<BytePairs> tokens = tokens_of_text(run.config.task_options);
  const ModelOptions& model = run.model->options;
  const Json config = hub_config(run.config, model, tokens ? tokens->end_of_text() : -1);
  std::map<std::string, std::string> files = {{"config.json", to_text(config, 2) + '\n'}};
  if (tokens) files.merge(hub_token_files(*tokens, static_cast<int>(model.context)));
  make_empty(folder);
  std::string names = "model.safetensors";
  write_safetensors(folder + "/" + names, hub_tensors(*run.model->module));
  for (const auto& [name, text] : files) {
    write_file(folder + "/" + name, text);
    names += ", " + name;
  }
  if (!tokens) names += fmt::format("; transformers has no tokenizer for {}", run.config.task);
  return names;
}

std::string write_arrays(const LoadedRun& run, const std::string& path) {
  Arrays arrays;
  walk(*run.model->module,
       [&](const std::string& name, Parameter& p) { arrays[name] = p.value(); });
  save_npz(path, arrays);
  return fmt::format("{} arrays", arrays.size());
}

std::string write_onnx(const LoadedRun& run, const std::string& path) {
  write_file(path, to_onnx(*run.model));
  return fmt::format("from tokens (batch, {}) to logits", onnx_time(*run.model));
}

void export_model(const ExportArguments& arguments, const Session& session) {
  require_known("--format", arguments.format, {"huggingface", "npz", "onnx"});
  const LoadedRun run = load_run(arguments.run, session.registry, "", arguments.checkpoint);
  const auto write = arguments.format == "npz"    ? write_arrays
                     : arguments.format == "onnx" ? write_onnx
                                                  : write_hub;
  const std::string written = write(run, arguments.to);
  put("{}", wrapped(fmt::format("step {} of {} · {}: {}", run.steps, visible(arguments.run),
                                visible(arguments.to), written),
                    session.terminal.width));
}

}  // namespace

void add_export_command(const Command& app, Session& session) {
  const Command command = app.add("export", "write a run's model for another program");
  const auto a = std::make_shared<ExportArguments>();
  command.positional("RUN", a->run, "folder of the run");
  command.positional("TO", a->to, "folder, empty or not there yet; of npz and onnx, the file");
  a->format = "huggingface";
  command
      .option("--format", "huggingface|npz|onnx", a->format,
              "a GPT-2 as transformers loads it, with its tokenizer; the weights as arrays of "
              "NumPy's; or the model as ONNX")
      .shown_default(a->format);
  add_checkpoint(command, a->checkpoint);
  command.on_run([=, &session] { export_model(*a, session); });
}

}  // namespace tapehead
