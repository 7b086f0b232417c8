#include "../../../cli/commands/commands.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/terminal/output.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../core/runtime/processors.hpp"
#include "../../../train/config/choices.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/runs/checkpoint.hpp"
#include "../../pages/report/maps.hpp"
#include "../score/score.hpp"
#include "experiments.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

struct ExperimentEntry {
  const char *name, *help;
  Experiment find;
};
const std::vector<ExperimentEntry> experiments = {
    {"heads", "the attention pattern of each head, and the loss without it", heads_document},
    {"ablate", "the loss without each head, attention layer, MLP and block", ablate_document},
    {"patch", "which activations restore a clean prompt's answer", patch_document},
    {"path", "effect of a component's output on what one later component reads", path_document},
    {"edges", "estimates of the effects of all such edges from gradients", edges_document},
    {"circuit", "the edges that remain after pruning, and how faithful they are", circuit_document},
    {"lens", "what each layer would predict, and contributions to a logit", lens_document},
    {"gradients", "how an example's loss depends on tokens and weights", gradients_document},
    {"circuits", "QK and OV maps of a head; composition of heads", circuits_document},
    {"neurons", "which tokens and contexts activate an MLP's neurons", neurons_document},
    {"probe", "properties that a linear map can read at each hook point", probe_document},
    {"score", "how well the others find the known circuit of compiled programs", score_document},
    {"curvature", "second derivatives of the loss: eigenvalues and traces", curvature_document},
};

/// An option and the experiments that accept it.
struct ExperimentOption {
  CommandOption option;
  const char* name;
  std::vector<std::string> of;
  const Index* number = nullptr;  // if not null, the option's value, which must be at least 0
};

struct Arguments : InspectArguments {
  std::vector<std::string> words;
  std::string data, checkpoint, checkpoints, out;
  bool json = false;
};

/// Returns all checkpoints or, if `asked` is a number, that many, evenly spaced and including the
/// last.
std::vector<SavedStep> select_checkpoints(const std::vector<SavedStep>& saved,
                                          const std::string& asked) {
  const auto all = static_cast<Index>(saved.size());
  const Index count = asked == "all" ? all : std::min(to_index("--checkpoints", asked), all);
  if (count < 1) throw UsageError("--checkpoints must be all, or at least 1, not {}", asked);
  std::vector<SavedStep> some;
  for (Index i = 0; i < all; ++i)
    // The condition is always true for the last checkpoint.
    if ((i + 1) * count / all != i * count / all) some.push_back(saved[i]);
  return some;
}

/// Loads the run at a checkpoint. Throws UsageError for a model without tokens, except for
/// `curvature`.
LoadedRun read_run(const std::string& checkpoint, const Arguments& a, const Session& session) {
  LoadedRun run = load_run(a.words[1], session.registry, a.data, checkpoint);
  if (a.data.empty()) note_changed_data(a.words[1], run.config);
  if (a.words[0] != "curvature") require_tokens("inspect " + a.words[0], run);
  return run;
}

/// Scores the methods on several runs.
Document score_runs(Arguments a, const Session& session, const Terminal& terminal) {
  const std::vector<std::string> runs(a.words.begin() + 1, a.words.end());
  std::vector<Document> found;
  for (const std::string& run : runs) {
    a.words[1] = a.folder = run;
    found.push_back(score_document(read_run(a.checkpoint, a, session), a, terminal));
  }
  return join_scores(runs, found);
}

/// Runs an experiment on several checkpoints. Returns the last one's results and curves over all.
Document run_over_checkpoints(const ExperimentEntry& known, const Arguments& a,
                              const Session& session, const Terminal& terminal) {
  LoadedRun run = read_run("last", a, session);
  const std::vector<SavedStep> saved = saved_steps(RunFolder::open(a.words[1]), *run.model->module);
  std::vector<Document> found;
  std::vector<Index> steps;
  for (const SavedStep& one : select_checkpoints(saved, a.checkpoints)) {
    LoadedRun then = load_run(a.words[1], session.registry, a.data);
    if (!one.folder.empty()) then.steps = read_checkpoint(one.folder, *then.model->module, {});
    found.push_back(known.find(then, a, terminal));
    steps.push_back(then.steps);
  }
  Document document = found.back();
  document.curves = checkpoint_curves(found, steps);
  return document;
}

void inspect(const ExperimentEntry& known, const Arguments& a, const Session& session) {
  const std::string ending = std::filesystem::path(a.out).extension().string();
  if (!a.out.empty() && ending != ".html" && ending != ".json" && ending != ".txt")
    throw UsageError("--out {}: the file extension must be .html, .json or .txt", a.out);
  if (!a.out.empty() && a.json) throw UsageError("inspect: --out or --json, not both");
  set_threads(processors());
  Terminal terminal = session.terminal;
  terminal.live = terminal.live && !a.json;
  const std::string runs = fmt::format("{}", fmt::join(a.words.begin() + 1, a.words.end(), ", "));
  Document document = a.words.size() > 2 ? score_runs(a, session, terminal)
                      : a.checkpoints.empty()
                          ? known.find(read_run(a.checkpoint, a, session), a, terminal)
                          : run_over_checkpoints(known, a, session, terminal);
  Json json = to_json(document);
  json["run"] = runs;
  if (a.out.empty()) {
    a.json ? print_json(json) : put("{}", to_text(document, session.terminal));
    return;
  }
  // The file must name the run; a joined table names several.
  if (a.words.size() == 2) document.title += fmt::format(" of {}", runs);
  write_file(a.out, ending == ".html"   ? to_page(document)
                    : ending == ".json" ? to_text(json, 2) + '\n'
                                        : to_text(document, Terminal()));
}

std::string list() {
  Table table({Table::Align::left, Table::Align::left});
  for (const ExperimentEntry& known : experiments) table.add({known.name, known.help});
  return table.text(80);
}

}  // namespace

void add_inspect_command(const Command& app, Session& session) {
  const Command command = app.add("inspect", "analyze a trained model");
  const auto a = std::make_shared<Arguments>();
  command.words("EXPERIMENT RUN", "", a->words, "experiment, and run folder (score: one or more)");
  std::vector<ExperimentOption> own;
  const auto add = [&](const std::vector<std::string>& of, const char* name, const char* value,
                       auto& target, const char* help) {
    if constexpr (std::is_same_v<decltype(target), std::string&>)
      own.push_back({command.option(name, value, target, help), name, of});
    else if constexpr (std::is_same_v<decltype(target), bool&>)
      own.push_back({command.flag(name, target, help), name, of});
    else if constexpr (std::is_same_v<decltype(target), double&>)
      own.push_back({command.option(name, target, help), name, of});
    else
      own.push_back({command.option(name, target, help), name, of, &target});
    own.back().option.group(fmt::format("inspect {}", fmt::join(of, ", ")));
  };
  const std::vector<std::string> of_edges = {"path", "edges", "circuit"};
  add({"heads", "ablate", "path", "edges", "circuit", "gradients", "neurons", "probe", "score",
       "curvature"},
      "--examples", "N", a->examples,
      "number of validation examples [1,000; curvature: 256; path, edges, circuit, score: 100]");
  add({"ablate", "path", "edges", "circuit"}, "--by", "mean|zero|resample", a->by,
      "replacement of an output: its mean over examples, zeros, or (not ablate) its output for "
      "another example [mean; path, edges, circuit: resample]");
  add({"ablate"}, "--heads", "L.H,...", a->heads, "heads to ablate together, such as 0.1,1.3");
  add({"ablate"}, "--pairs", "", a->pairs, "ablation of every pair of heads");
  add({"ablate"}, "--positions", "", a->positions, "ablation of each block at each position");
  add({"patch", "path", "edges", "circuit"}, "--clean", "TEXT", a->clean,
      "patching: original (clean) prompt, with or without its completion [patch: a validation "
      "example; others: --examples]");
  add({"patch", "path", "edges", "circuit"}, "--corrupted", "TEXT", a->corrupted,
      "patching: changed (corrupted) prompt, with another completion [the next validation example "
      "with a different completion]");
  add(of_edges, "--metric", "logit|loss|kl|square", a->metric,
      "logit difference, cross-entropy, KL divergence from the whole model, or squared difference "
      "of the logits [logit; circuit: kl]");
  add({"path"}, "--from", "NODE", a->from,
      "component that writes: embedding, 'head 0.1' or 'mlp 0' [all]");
  add({"path"}, "--to", "NODE", a->to,
      "component that reads, or one input: 'head 1.0', 'head 1.0 key', 'mlp 1' or logits [all]");
  add({"edges", "circuit"}, "--steps", "N", a->steps,
      "gradients to average for integrated attribution; 0: one at the whole model [8]");
  add({"circuit"}, "--method", "acdc|attribution", a->method,
      "choice of edges: try each one, or the largest integrated attributions [acdc]");
  add({"circuit"}, "--threshold", "X", a->threshold,
      "largest change for dropping an edge (attribution: all edges), relative to replacing all "
      "[0.01]");
  add({"probe"}, "--at", "POINT", a->at, "hook point, such as blocks.0.out [all]");
  add({"probe"}, "--property", "target|token|previous|position", a->property,
      "property to predict at each position: target, token, token before, or position [target]");
  const std::vector<std::string> read = {"lens", "gradients"};
  add(read, "--input", "TEXT", a->input, "model input, with or without its completion");
  add(read, "--example", "N", a->example, "validation example to use as input [0]");
  add({"lens"}, "--position", "N", a->position,
      "position of the logit to decompose [before the completion]");
  add({"lens"}, "--token", "TOKEN", a->token, "token whose logit to decompose [the target]");
  add({"lens"}, "--against", "TOKEN", a->against, "token whose logit to subtract");
  add({"gradients"}, "--weight", "NAME", a->weight,
      "weight whose gradient at each position to show");
  add({"gradients"}, "--norms", "", a->norms,
      "gradient norm of each example; --examples sets their number");
  add({"circuits", "neurons"}, "--layer", "N", a->layer, "layer, counted from 0 [0]");
  add({"circuits"}, "--head", "N", a->head, "head, counted from 0 [0]");
  add({"circuits"}, "--tokens", "TEXT", a->tokens, "tokens to show, for large vocabularies");
  add({"neurons"}, "--neuron", "N", a->neuron, "neuron, counted from 0 [all]");
  add({"path", "edges", "circuit", "gradients", "neurons", "curvature"}, "--top", "N", a->top,
      "number of table rows or eigenvalues [10; path, edges, circuit: 20; 5 eigenvalues]");
  add({"curvature"}, "--training", "", a->training,
      "training examples instead of validation examples");
  add_data(command, a->data);
  const CommandOption checkpoint = add_checkpoint(command, a->checkpoint);
  const CommandOption checkpoints =
      command.option("--checkpoints", "all|N", a->checkpoints,
                     "result over training: at all checkpoints, or at N of them");
  command.option("--out", "FILE", a->out,
                 "output file; its extension sets the format: .html, .json or .txt");
  add_json(command, a->json);
  command.footer("The experiments:\n" + list());
  command.on_run([=, &session] {
    if (a->words.empty()) return put("{}", list());
    const ExperimentEntry& known = require_named("experiment", a->words[0], experiments);
    const bool joins = known.find == score_document && !checkpoints.given();
    if (a->words.size() < 2 || (a->words.size() > 2 && !joins))
      throw UsageError("inspect {0}: expected a run folder, as in inspect {0} runs/copy",
                       known.name);
    a->folder = a->words[1];
    if (own[0].option.given() && a->examples < 1)
      throw UsageError("--examples must be at least 1, not {}", a->examples);
    for (const ExperimentOption& each : own) {
      if (each.option.given() && each.number && *each.number < 0)
        throw UsageError("{} must be at least 0, not {}", each.name, *each.number);
      if (each.option.given() && !contains(each.of, known.name))
        throw UsageError("inspect {}: {} only applies to {}", known.name, each.name,
                         fmt::join(each.of, ", "));
    }
    if (checkpoint.given() && checkpoints.given())
      throw UsageError("inspect: --checkpoint or --checkpoints, not both");
    inspect(known, *a, session);
  });
}

}  // namespace tapehead
