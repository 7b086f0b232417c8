#include "load_run.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/number.hpp"
#include "../../train/model/generate.hpp"
#include "../../train/runs/digest.hpp"
#include "../options/config_file.hpp"
#include "../options/run_files.hpp"
#include "commands.hpp"

#include <fmt/ranges.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tapehead {

namespace {

TrainConfig checked_toml(const std::string& text, const std::string& path,
                         const Registry& registry) {
  const TrainConfig config = config_from_toml(text, path, registry);
  try {
    return resolved(config, {}, registry);
  } catch (const UsageError& error) {
    throw FileError("{}: {}{}", path, error.what(), foreign_program_hint(text, path, registry));
  }
}

/// Loads the weights of --checkpoint and returns their step.
Index load_checkpoint(Module& model, const RunFolder& folder, const std::string& checkpoint) {
  if (checkpoint == "last") return folder.load(model, nullptr);
  if (checkpoint == "best") return folder.load(model, nullptr, nullptr, RunFolder::Kept::best);
  const Index step = *step_in(checkpoint);
  folder.load_step(model, step);
  return step;
}

/// Replaces the data file and uses all of it for validation. Of the training file, only its
/// validation part is used, unless validation data came from a separate file.
void replace_data(LoadedRun& run, const std::string& data, const RunFolder& folder,
                  const Registry& registry) {
  const auto own = run.config.task_options.find("data");
  if (own == run.config.task_options.end())
    throw UsageError(
        "--data has no effect: {} is a run of {}, which reads no data file; remove --data",
        folder.path(), run.config.task);
  if (!exists(data)) throw SystemError(data, ENOENT);
  std::error_code ignored;
  const std::string digest = recorded_digest(folder.last_record().data, "data");
  const bool trained_on = digest.empty() ? std::filesystem::equivalent(own->second, data, ignored)
                                         : digest_of_data(data) == digest;
  const auto apart = run.config.task_options.find("held-out");
  const bool has_part =
      trained_on && (apart == run.config.task_options.end() || apart->second.empty());
  if (!has_part && registry.find_task(run.config.task).make_held_out) run.held_out = HeldOut::all;
  own->second = data;
}

/// Returns whether another program made the run, so that this one can't restore its options.
bool is_foreign_run(const RunFolder& folder, const Registry& registry) {
  try {
    return !foreign_program_hint(folder.read_config(), folder.path(), registry).empty();
  } catch (const FileError&) {
    return false;  // config.toml can't be read
  }
}

}  // namespace

TrainConfig recorded_config(const RunFolder& folder, const Registry& registry) {
  try {
    return checked_toml(folder.read_config(), folder.path() + "/config.toml", registry);
  } catch (const SystemError&) {
    throw;
  } catch (FileError& error) {
    if (folder.has_checkpoint() && !is_foreign_run(folder, registry))
      error.append(
          fmt::format("; fix it, or restore it from the checkpoint with train --resume {} --repair",
                      shell_word(folder.path())));
    throw;
  }
}

TrainConfig trained_config(const RunFolder& folder, const Registry& registry) {
  return trained_config(folder, folder.last_record(), registry);
}

TrainConfig trained_config(const RunFolder& folder, const TrainingRecord& last,
                           const Registry& registry) {
  if (last.config.empty()) return recorded_config(folder, registry);
  return checked_toml(last.config, folder.path() + "/model.safetensors", registry);
}

LoadedRun configured_run(const RunFolder& folder, const Registry& registry,
                         const std::string& data) {
  LoadedRun run;
  run.config = recorded_config(folder, registry);
  run.config = with_files(run.config, moved_files(run.config, folder, registry));
  if (!data.empty()) replace_data(run, data, folder, registry);
  return run;
}

LoadedRun load_run(const std::string& path, const Registry& registry, const std::string& data,
                   const std::string& checkpoint, const std::string& weights) {
  require_known("--weights", weights, {"f32", "bf16"});
  const RunFolder folder = RunFolder::open(path);
  check_checkpoint(checkpoint, folder);
  LoadedRun run = configured_run(folder, registry, data);
  if (!folder.has_checkpoint())
    throw FileError("{}: no checkpoint has been saved yet; continue with train --resume {}",
                    folder.path(), shell_word(folder.path()));
  run.task = make_task(run.config, registry, run.held_out);
  run.model = make_meta_model(run.config, *run.task, registry);
  if (weights == "bf16") {
    if (run.model->options.dtype != DType::f32)
      throw UsageError("--weights bf16 needs a run in f32, but {} is in f64; remove --weights",
                       path);
    narrow_weights(*run.model->module);
  }
  run.steps = load_checkpoint(*run.model->module, folder, checkpoint);
  return run;
}

std::optional<Index> step_in(const std::string& checkpoint) {
  const std::optional<Index> step = read_whole<Index>(checkpoint);
  return step && *step >= 0 ? step : std::nullopt;
}

void check_checkpoint(const std::string& checkpoint, const RunFolder& folder) {
  if (checkpoint == "last" || checkpoint == "best") return;
  const std::vector<Index> steps = folder.steps();
  const auto step = step_in(checkpoint);
  if (step && contains(steps, *step)) return;
  throw UsageError("--checkpoint {}: expected last, best or the step of a checkpoint; {} has {}",
                   visible(checkpoint), folder.path(),
                   steps.empty() ? "none yet" : fmt::format("{}", fmt::join(steps, ", ")));
}

void require_tokens(const std::string& command, const LoadedRun& run) {
  if (run.task->vocabulary() == 0)
    throw UsageError("{} needs tokens, but the examples of {} are numbers; use eval", command,
                     run.config.task);
}

void note_changed_data(const std::string& path, const TrainConfig& config) {
  // Notices were printed when the run was loaded.
  const RunFolder folder = RunFolder::open(path, [](const std::string&) {});
  for (const std::string& option : changed_data(config.task_options, folder.last_metadata().data))
    message(fmt::format("{} has changed since {} was trained on it",
                        visible(config.task_options.at(option)), visible(path)));
}

void add_data(const Command& command, std::string& data) {
  command.option("--data", "FILE", data,
                 "data file to take examples from; if it is the training file, only its validation "
                 "part is used");
}

CommandOption add_checkpoint(const Command& command, std::string& checkpoint) {
  checkpoint = "last";
  return command
      .option("--checkpoint", "last|best|STEP", checkpoint,
              "checkpoint to use: the last, the best, or a step")
      .shown_default(checkpoint);
}

void add_weights(const Command& command, std::string& weights) {
  weights = "f32";
  command
      .option("--weights", "f32|bf16", weights,
              "precision of weight matrices in memory; bf16 halves their size")
      .shown_default(weights);
}

}  // namespace tapehead
