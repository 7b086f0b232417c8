#pragma once
// The experiments of `tapehead inspect`, one per file.
#include "../../../train/trainer.hpp"
#include "document.hpp"

namespace tapehead {

class Command;
struct Session;

/// The user's options; each comment names the experiments with that option. -1 or an empty text
/// means not given.
struct InspectArguments {
  Index examples = -1;
  std::string by, heads;  // ablate; `by` also path, edges and circuit
  bool pairs = false, positions = false;
  std::string clean, corrupted;  // patch, path, edges, circuit
  std::string metric;            // path, edges, circuit
  std::string from, to;          // path
  Index steps = -1;              // edges, circuit
  std::string method;            // circuit
  double threshold = 0.01;       // circuit
  std::string at, property;      // probe
  std::string input;             // lens, gradients
  Index example = -1, position = -1;
  std::string token, against;   // lens
  std::string weight;           // gradients
  bool norms = false;           // gradients
  Index layer = -1, head = -1;  // circuits, neurons
  std::string tokens;           // circuits
  Index neuron = -1, top = -1;  // neurons; `top` also gradients, curvature, path, edges, circuit
  bool training = false;        // curvature
  std::string folder;           // score: the run folder
};

/// A function that runs an experiment on a model. Throws UsageError for invalid options.
using Experiment = Document (*)(const LoadedRun& run, const InspectArguments& asked,
                                const Terminal& terminal);

/// Describes the attention pattern of each head. `tapehead attention --summary` also uses it.
Document heads_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document ablate_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document patch_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document lens_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document gradients_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document circuits_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document neurons_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document curvature_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document path_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document edges_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document circuit_document(const LoadedRun&, const InspectArguments&, const Terminal&);
Document probe_document(const LoadedRun&, const InspectArguments&, const Terminal&);
/// Scores the other experiments against the known circuit of a compiled program. Throws UsageError
/// if the folder has no circuit.json.
Document score_document(const LoadedRun&, const InspectArguments&, const Terminal&);

/// Adds the command `inspect`.
void add_inspect_command(const Command& app, Session& session);

}  // namespace tapehead
