#include "../../train/runs/digest.hpp"
#include "../../train/runs/provenance.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../terminal/output.hpp"
#include "commands.hpp"
#include "load_run.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

/// Returns the weight hash of a checkpoint. Throws FileError if it differs from the recorded one.
std::string checked_digest(const CheckpointRecord& record, const std::string& file) {
  const std::string computed = digest(record.weights);
  if (!record.digest.empty() && record.digest != computed)
    throw FileError("{}: the recorded weight hash is {}, but the weights have {}", file,
                    quote(record.digest), computed);
  return computed;
}

Json to_json(const std::string& run, const CheckpointRecord& record, const std::string& computed) {
  Json json = {{"step", record.steps}, {"digest", computed}};
  if (const auto number = numerics_at(run, record.steps)) json["numerics"] = *number;
  if (!record.digest_note.empty()) json["note"] = record.digest_note;
  return json;
}

/// Returns the folder of a checkpoint; empty for the last one.
std::string folder_of(const RunFolder& run, const std::string& checkpoint) {
  check_checkpoint(checkpoint, run);
  if (checkpoint == "last") return "";
  const Index step = checkpoint == "best" ? run.best_step() : *step_in(checkpoint);
  for (const StepFolder& folder : step_folders(run.path()))
    if (folder.step == step) return run.path() + "/" + folder.name();
  if (checkpoint == "best")
    throw FileError("{}: no best checkpoint has been saved yet", run.path());
  return "";  // in a copied run, the last checkpoint may have no folder
}

void print_one(const std::string& path, const std::string& checkpoint, bool json) {
  const RunFolder folder = RunFolder::open(path);
  const std::string chosen = folder_of(folder, checkpoint);
  const CheckpointRecord record = chosen.empty() ? folder.last_record() : read_record(chosen);
  if (record.weights.empty()) throw FileError("{}: no checkpoint has been saved yet", path);
  const std::string computed =
      checked_digest(record, (chosen.empty() ? folder.path() : chosen) + "/" + model_file);
  if (json) {
    Json document = to_json(path, record, computed);
    document["run"] = path;
    return print_json(document);
  }
  const auto number = numerics_at(path, record.steps);
  put("{} · step {} of {}{}\n", with_note(computed, visible(record.digest_note)), record.steps,
      visible(path), number ? fmt::format(" · numerics {}", *number) : "");
}

void print_all(const std::string& path, bool json) {
  const RunFolder folder = RunFolder::open(path);
  const std::vector<StepFolder> kept = step_folders(folder.path());
  if (kept.empty()) throw FileError("{}: no checkpoint has been saved yet", path);
  Json document = Json::array();
  Table table({Table::Align::right, Table::Align::left});
  for (auto step = kept.rbegin(); step != kept.rend(); ++step) {  // in training order
    const std::string checkpoint = folder.path() + "/" + step->name();
    const CheckpointRecord record = read_record(checkpoint);
    const std::string computed = checked_digest(record, checkpoint + "/" + model_file);
    document.push_back(to_json(path, record, computed));
    table.add({fmt::format("{}", record.steps), with_note(computed, visible(record.digest_note))});
  }
  json ? print_json(document) : put("{}", table.text(Terminal::of_output().width));
}

}  // namespace

void add_digest_command(const Command& app, Session&) {
  struct Arguments {
    std::string run, checkpoint;
    bool all = false, json = false;
  };
  const Command command = app.add("digest", "print the weight hash (digest) of a run");
  const auto a = std::make_shared<Arguments>();
  command.positional("RUN", a->run, "run folder");
  command.flag("--all", a->all, "step and weight hash of each checkpoint");
  const CommandOption checkpoint = add_checkpoint(command, a->checkpoint);
  add_json(command, a->json);
  command.footer(
      "The hash is the first 16 hex digits of a SHA-256. Equal hashes mean equal weights. Versions "
      "with the same numerics train to the same hash. The command fails if a checkpoint records a "
      "different hash.");
  command.on_run([=] {
    if (a->all && checkpoint.given()) throw UsageError("digest: --all or --checkpoint, not both");
    a->all ? print_all(a->run, a->json) : print_one(a->run, a->checkpoint, a->json);
  });
}

}  // namespace tapehead
