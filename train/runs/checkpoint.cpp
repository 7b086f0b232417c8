#include "checkpoint.hpp"
#include "../../core/system/file.hpp"
#include "../files/files.hpp"
#include "../safetensors/reader.hpp"
#include "../step/not_finite.hpp"
#include "digest.hpp"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

namespace tapehead {
namespace {

using Tensors = std::map<std::string, Tensor>;
/// The expected type and shape of a tensor in a file. Not a Tensor, because a model may have no
/// values before it is loaded.
struct Kind {
  DType dtype;
  Shape shape;
};
using Kinds = std::map<std::string, Kind>;

// Metadata keys of both checkpoint files. Version 1 has no checksum.
constexpr const char *version_key = "tapehead_checkpoint", *version = "2", *first_version = "1";
constexpr const char* step_key = "step";
// Metadata keys of the model file alone: the training record and the weight hash.
constexpr const char* digest_key = "digest";
constexpr std::pair<const char*, std::string TrainingRecord::*> record_keys[] = {
    {"config", &TrainingRecord::config},
    {"data", &TrainingRecord::data},
    {"digest_note", &TrainingRecord::digest_note},
    {"line", &TrainingRecord::line}};
// The optimizer's number of updates, for Adam's bias correction.
constexpr const char* updates_key = "updates";

std::optional<Index> parse_count(const std::string& text) {
  Index count = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 0) return {};
  return count;
}

/// One of the two files of a checkpoint.
struct CheckpointFile {
  std::string path;
  Safetensors contents;

  enum class Read { all, metadata };
  /// Reads a file. Rounds tensors that are wanted in bf16.
  explicit CheckpointFile(const std::string& path_, const Kinds& wanted = {}, Read read = Read::all)
      : path(path_) {
    try {
      const SafetensorsReader reader(path);
      const auto narrowed = [&](const std::string& name) {
        const auto found = wanted.find(name);
        return found != wanted.end() && found->second.dtype == DType::bf16;
      };
      contents = read == Read::all ? reader.all(narrowed) : Safetensors{reader.metadata(), {}};
    } catch (const SystemError& error) {
      // The file is missing, or something else has its name.
      for (int damage : {ENOENT, ENOTDIR, EISDIR, ELOOP})
        if (error.reason == damage) throw FileError("{}", error.what());
      throw;
    }
    const auto found = contents.metadata.find(version_key);
    if (found == contents.metadata.end())
      throw FileError("{}: not a checkpoint of a run: no {} in its metadata", path, version_key);
    if (found->second != version && found->second != first_version)
      throw MismatchError("{}: {} is {}, expected \"{}\" or \"{}\"", path, version_key,
                          quote(found->second), first_version, version);
    if (found->second == version && contents.metadata.count(checksum_key) == 0)
      throw FileError("{}: damaged: no {} in its metadata", path, checksum_key);
  }

  Index count(const char* key) const {
    const auto found = contents.metadata.find(key);
    const auto count = found == contents.metadata.end() ? std::nullopt : parse_count(found->second);
    if (!count) throw FileError("{}: no valid number for {} in its metadata", path, key);
    return *count;
  }

  /// Checks that names, types and shapes match `owner`.
  void check_fits(const Kinds& wanted, const char* owner) const {
    for (const auto& [name, x] : wanted) {
      const auto found = contents.tensors.find(name);
      if (found == contents.tensors.end())
        throw MismatchError("{}: {} is missing, but the {} has it", path, quote(name), owner);
      const Tensor& y = found->second;
      if (y.dtype() != x.dtype || y.shape() != x.shape)
        throw MismatchError("{}: {} is {} {}, but the {} has {} {}", path, quote(name), y.dtype(),
                            y.shape(), owner, x.dtype, x.shape);
    }
    for (const auto& [name, y] : contents.tensors)
      if (wanted.count(name) == 0)
        throw MismatchError("{}: unexpected {}, which the {} doesn't have", path, quote(name),
                            owner);
  }
};

template <class T>
void insert(std::map<std::string, T>& all, const std::string& name, const T& x) {
  if (!all.emplace(name, x).second)
    throw ValueError("checkpoint: two tensors are named {}; names must be unique", quote(name));
}
void insert_value(Tensors& tensors, const std::string& name, const Tensor& x) {
  if (!x) throw ValueError("checkpoint: {} has no value yet", quote(name));
  insert(tensors, name, x);
}
Tensors tensors_of(Module& model) {
  Tensors tensors;
  walk(model,
       [&](const std::string& path, Parameter& p) { insert_value(tensors, path, p.value()); });
  return tensors;
}
Kinds kinds_of(Module& model) {
  Kinds kinds;
  walk(model, [&](const std::string& path, Parameter& p) {
    insert(kinds, path, {p.dtype, p.shape});
  });
  return kinds;
}
Tensors tensors_of(const std::vector<Optimizer::State>& states) {
  Tensors tensors;
  for (const Optimizer::State& state : states) insert_value(tensors, state.name, *state.tensor);
  return tensors;
}
Kinds kinds_of(const std::vector<Optimizer::State>& states) {
  Kinds kinds;
  for (const auto& [name, x] : tensors_of(states)) insert(kinds, name, {x.dtype(), x.shape()});
  return kinds;
}

/// Returns the tensors of the optimizer's file. While the EMA weights are in the model, `average`
/// holds the training weights.
std::vector<Optimizer::State> states_of(Optimizer& optimizer, WeightAverage* average) {
  std::vector<Optimizer::State> states = optimizer.state();
  if (average)
    for (Optimizer::State& state : average->state()) states.push_back(std::move(state));
  return states;
}

}  // namespace

void check_names(Module& model, Optimizer& optimizer, WeightAverage* average) {
  tensors_of(model);
  tensors_of(states_of(optimizer, average));
}

void write_checkpoint(const std::string& folder, Module& model, Optimizer& optimizer, Index steps,
                      WeightAverage* average, const TrainingRecord& record) {
  const EvaluationWeights in_model(average, &optimizer);
  std::map<std::string, std::string> metadata = {
      {version_key, version}, {step_key, std::to_string(steps)}, {checksum_key, ""}};
  auto of_model = metadata;
  for (const auto& [key, text] : record_keys)
    if (!(record.*text).empty()) of_model[key] = record.*text;
  const Tensors weights = tensors_of(model);
  of_model[digest_key] = digest(weights);
  write_safetensors(folder + "/" + model_file, {of_model, weights});
  metadata[updates_key] = std::to_string(optimizer.steps);
  write_safetensors(folder + "/" + optimizer_file,
                    {metadata, tensors_of(states_of(optimizer, average))});
}

bool is_complete_checkpoint(const std::string& folder) {
  return exists(folder + "/" + model_file) && exists(folder + "/" + optimizer_file);
}

std::string foreign_file_in_checkpoint(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code reason;
  for (fs::directory_iterator at(folder, reason); !reason && at != fs::directory_iterator();
       at.increment(reason)) {
    const std::string name = at->path().filename().string();
    const bool is_own = name == model_file || name == optimizer_file || is_temporary(name);
    std::error_code unknown;
    if (!is_own || fs::is_directory(at->symlink_status(unknown))) return name;
  }
  if (reason) throw FileError("{}: {}", folder, system::error_message(reason));
  return {};
}

Index read_checkpoint(const std::string& folder, Module& model, Optimizer* optimizer,
                      WeightAverage* average) {
  const EvaluationWeights in_model(average,
                                   optimizer);  // swaps the training weights back at the end
  const Kinds kinds = kinds_of(model);
  CheckpointFile weights(folder + "/" + model_file, kinds);
  const Index steps = weights.count(step_key);
  weights.check_fits(kinds, "model");
  for (const auto& [name, x] : weights.contents.tensors)
    if (const std::string what = non_finite_kind(x); !what.empty())
      throw MismatchError("{}: {} contains {}, expected finite weights", weights.path, quote(name),
                          what);
  std::vector<Optimizer::State> states;
  std::optional<CheckpointFile> moments;
  Index updates = 0;
  if (optimizer) {
    states = states_of(*optimizer, average);
    moments.emplace(folder + "/" + optimizer_file);
    if (moments->count(step_key) != steps)
      throw FileError("{}: is from step {}, but the model is from step {}", moments->path,
                      moments->count(step_key), steps);
    if (moments->contents.tensors.empty() && !states.empty())
      throw MismatchError(
          "{}: no optimizer state, because the weights were imported; to start a new run from "
          "them: "
          "train text --config RUN/config.toml --init RUN --data FILE",
          moments->path);
    updates = moments->count(updates_key);
    moments->check_fits(kinds_of(states), "optimizer");
  }
  // All checks are done; only now does anything change.
  walk(model, [&](const std::string& path, Parameter& p) {
    p.set(std::move(weights.contents.tensors[path]));
  });
  if (!optimizer) return steps;
  for (const Optimizer::State& state : states)
    *state.tensor = std::move(moments->contents.tensors[state.name]);
  optimizer->steps = updates;
  return steps;
}

namespace {

CheckpointRecord record_in(CheckpointFile model) {
  const auto recorded = [&](const char* key) {
    const auto found = model.contents.metadata.find(key);
    return found == model.contents.metadata.end() ? "" : found->second;
  };
  CheckpointRecord record;
  for (const auto& [key, text] : record_keys) record.*text = recorded(key);
  record.steps = model.count(step_key);
  record.digest = recorded(digest_key);
  record.weights = std::move(model.contents.tensors);
  return record;
}

}  // namespace

CheckpointRecord read_record(const std::string& folder) {
  return record_in(CheckpointFile(folder + "/" + model_file));
}

CheckpointRecord read_metadata(const std::string& folder) {
  return record_in(CheckpointFile(folder + "/" + model_file, {}, CheckpointFile::Read::metadata));
}

}  // namespace tapehead
