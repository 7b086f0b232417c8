#include "../../train/config/names.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"
#include "../../train/files/message.hpp"
#include "../../train/files/number.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../extensions.hpp"
#include "../terminal/evaluation_text.hpp"
#include "../terminal/illustration.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "commands.hpp"
#include "eval_lengths.hpp"
#include "lengths.hpp"
#include "load_run.hpp"
#include "threads.hpp"

#include <cmath>

namespace tapehead {
namespace {

struct EvalArguments {
  std::vector<std::string> runs;
  std::string run, data, length, lengths, checkpoint, weights;
  std::map<std::string, std::string> files;  // output paths by EvalFile::name
  Index examples = 0;                        // number of validation examples; 0: all
  Index threads = 0;
  bool has_length = false, by_length = false, json = false;
};

/// Parses `24`, or `2x` for twice the trained length. Throws UsageError.
Index requested_length(const std::string& text, Index trained) {
  const bool factor = !text.empty() && text.back() == 'x';
  const char* const end = text.data() + text.size() - (factor ? 1 : 0);
  double number = 0;
  const bool is_number = read_number(text.data(), end, number) == end;
  const double length = factor ? std::round(number * static_cast<double>(trained)) : number;
  if (!is_number || !(length >= 1 && length <= 1e9) || length != std::floor(length))
    throw UsageError("--length must be a whole number, or a factor such as 2x, not '{}'", text);
  return static_cast<Index>(length);
}

Json to_json(const Evaluation& result, const Task& task, const EvalArguments& arguments,
             Json document) {
  document = to_json(result, task, std::move(document));
  if (arguments.by_length) document["by_length"] = by_length_json(result, task);
  return document;
}

/// Describes the examples of --data: ` · all of FILE`, or the validation part of the training file.
std::string data_description(const LoadedRun& run, const EvalArguments& arguments) {
  if (arguments.data.empty()) return "";
  return fmt::format(" · {} {}", run.held_out == HeldOut::all ? "all of" : "the validation part of",
                     visible(arguments.data));
}

Index requested_examples(const EvalArguments& arguments, const Task& task) {
  return arguments.examples > 0 ? arguments.examples : held_out_size(task);
}

Evaluation measure(const TaskModel& model, const Task& task, const EvalArguments& arguments,
                   const std::string& name, const Session& session) {
  Terminal terminal = session.terminal;
  terminal.live = terminal.live && !arguments.json;
  ProgressLine line(terminal, name.empty() ? "evaluating" : "evaluating at " + name);
  Evaluation result = evaluate(model, task, requested_examples(arguments, task), true,
                               std::ref(line), session.registry.metrics());
  if (!std::isfinite(result.loss))
    throw Error("eval: the loss isn't finite, although all weights are; the training diverged");
  if (arguments.by_length && result.by_target.empty())
    throw UsageError("--by length: the examples of {} have no target tokens; remove it", task.name);
  return result;
}

void eval_at_length(const LoadedRun& run, const EvalArguments& arguments, const Session& session,
                    Json document) {
  const std::string given = "--length " + arguments.length;
  const TrainedLengths lengths = trained_lengths(run.config, session.registry, given);
  const Index longest = lengths.lengths.back(),
              asked_length = requested_length(arguments.length, longest);
  const AtLength at = at_length(run, asked_length, session.registry, given);
  const std::string name = fmt::format("{} {}", lengths.option, asked_length);
  const Evaluation trained = measure(*run.model, *run.task, arguments, lengths.text, session);
  const Evaluation asked =
      measure(at.model ? *at.model : *run.model, *at.task, arguments, name, session);
  const std::string note =
      asked_length == longest ? std::string() : length_note(run, lengths, name);
  if (arguments.json) {
    document = to_json(trained, *run.task, arguments, std::move(document));
    document["length"] = {
        {"option", lengths.option}, {"trained", longest}, {"asked", asked_length}};
    if (!note.empty()) document["length"]["note"] = note;
    document["at_length"] = to_json(asked, *at.task, arguments, {});
    return print_json(document);
  }
  put("{}", wrapped(session.terminal.width, "{} and {} {}{} · step {} of {}",
                    grouped(trained.examples), grouped(asked.examples),
                    run.held_out == HeldOut::all ? "examples" : "validation examples",
                    data_description(run, arguments), run.steps, visible(arguments.run)));
  put("{}", comparison_text({{lengths.text + ", as trained", trained}, {name, asked}}, *run.task,
                            session.terminal));
  if (!note.empty()) put("{}", wrapped("note: " + note, session.terminal.width));
  if (run.model->arch != "encoder")
    put("{}", wrapped("token accuracy with teacher forcing (each token after the correct ones)",
                      session.terminal.width));
  if (arguments.by_length)
    put("\nat {}, {}", name, by_length_text(asked, *at.task, session.terminal));
  const std::string mistakes = mistakes_text(asked, *at.task, session.terminal);
  if (!mistakes.empty()) put("\nat {}, {}", name, mistakes);
}

void eval_lengths(const EvalArguments& arguments, const Session& session) {
  if (arguments.has_length || arguments.by_length || !arguments.files.empty())
    throw UsageError("--lengths can't be combined with {}; remove one",
                     arguments.has_length  ? "--length"
                     : arguments.by_length ? "--by length"
                                           : "--" + arguments.files.begin()->first);
  const ThreadScope threads(checked_threads(arguments.threads));
  eval_by_length({arguments.runs, arguments.lengths, arguments.data, arguments.checkpoint,
                  arguments.weights, arguments.examples, arguments.json},
                 session);
}

void eval(const EvalArguments& arguments, const Session& session) {
  const LoadedRun run = load_run(arguments.run, session.registry, arguments.data,
                                 arguments.checkpoint, arguments.weights);
  if (arguments.data.empty()) note_changed_data(arguments.run, run.config);
  const ThreadScope threads(checked_threads(arguments.threads));
  Json document = {{"run", arguments.run}, {"task", run.config.task}, {"step", run.steps}};
  if (!arguments.data.empty()) {
    document["data"] = arguments.data;
    document["held_out"] = run.held_out == HeldOut::all ? "all" : "part";
  }
  for (const EvalFile& file : session.registry.extensions<EvalFile>())
    if (const auto path = arguments.files.find(file.name); path != arguments.files.end())
      file.write(run, requested_examples(arguments, *run.task), path->second);
  if (arguments.has_length) return eval_at_length(run, arguments, session, std::move(document));

  const Evaluation result = measure(*run.model, *run.task, arguments, "", session);
  const Index different = run.task->has_answers()
                              ? count_distinct_held_out(*run.task, result.examples)
                              : result.examples;
  if (run.task->has_answers()) document["different"] = different;
  if (arguments.json) return print_json(to_json(result, *run.task, arguments, std::move(document)));
  const std::string measured =
      run.task->has_answers()
          ? fmt::format("exact match {} of {} {}{} · loss {:.4f}", percent(result.exact_match),
                        grouped(result.examples),
                        run.held_out == HeldOut::all ? "examples" : "validation examples",
                        has_many_repetitions(different, result.examples)
                            ? fmt::format(", {} different", grouped(different))
                            : "",
                        result.loss)
          : (run.held_out == HeldOut::all ? "" : "validation ") + loss_text(result);
  put("{}", wrapped(session.terminal.width, "{}{} · step {} of {}", measured,
                    data_description(run, arguments), run.steps, visible(arguments.run)));
  for (const Metric& metric : session.registry.metrics())
    put("{}: {:.4f} ({})\n", metric.name, result.metrics.at(metric.name), metric.summary);
  put("{}", curves_text(result.curves, session.terminal));
  put("{}", places_text(result, *run.model, session.terminal));
  if (arguments.by_length) put("{}", by_length_text(result, *run.task, session.terminal));
  put("{}", mistakes_text(result, *run.task, session.terminal));
  if (run.task->illustration())
    put("{}", mistakes_gallery(*run.model, *run.task, session.terminal));
  for (const auto& [name, path] : arguments.files) put("{}: {}\n", name, visible(path));
}

}  // namespace

void add_eval_command(const Command& app, Session& session) {
  const Command command = app.add("eval", "evaluate a run on validation (held-out) examples");
  const auto a = std::make_shared<EvalArguments>();
  command.words("RUN", "", a->runs, "run folder; several need --lengths").required();
  const CommandOption examples = command.option(
      "--examples", a->examples,
      "number of validation (held-out) examples [all; 200 per length with --lengths]");
  const CommandOption length = command.option("--length", "N|Fx", a->length,
                                              "example length for a second evaluation: a number, "
                                              "such as 24, or 2x for twice the trained length");
  const CommandOption lengths =
      command.option("--lengths", "A..B", a->lengths,
                     "accuracy at each of these lengths: 1..100, 10..100..10 or 5,10,20");
  command.option(
      "--by", "length",
      [=](const std::string& by) {
        require_known("--by", by, {"length"});
        a->by_length = true;
      },
      "accuracy by source and target length");
  for (const EvalFile& file : session.registry.extensions<EvalFile>())
    command.option(
        "--" + file.name, "FILE", [=](const std::string& path) { a->files[file.name] = path; },
        file.help);
  command.option(
      "--data", "FILE", a->data,
      "data file to evaluate on; if it is the training file, only its validation part is used");
  add_threads(command, a->threads);
  add_checkpoint(command, a->checkpoint);
  add_weights(command, a->weights);
  add_json(command, a->json);
  command.on_run([=, &session] {
    if (examples.given() && a->examples < 1)
      throw UsageError("--examples must be at least 1, not {}", a->examples);
    checked_threads(a->threads);
    a->has_length = length.given();
    if (!lengths.given() && a->runs.size() > 1)
      throw UsageError("eval evaluates one run; for several, add --lengths");
    a->run = a->runs[0];
    lengths.given() ? eval_lengths(*a, session) : eval(*a, session);
  });
}

}  // namespace tapehead
