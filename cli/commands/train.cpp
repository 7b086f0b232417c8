#include "../../core/system/signals.hpp"
#include "../../train/files/files.hpp"
#include "../../train/runs/labels.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/watch/profile.hpp"
#include "../app.hpp"
#include "../extensions.hpp"
#include "../options/config_file.hpp"
#include "../options/resumed_config.hpp"
#include "../options/run_files.hpp"
#include "../options/train_arguments.hpp"
#include "../terminal/dry_run.hpp"
#include "../terminal/output.hpp"
#include "../terminal/profile_text.hpp"
#include "../terminal/progress.hpp"
#include "commands.hpp"
#include "load_run.hpp"
#include "prepared.hpp"
#include "train_text.hpp"

#include <fmt/ranges.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace tapehead {
namespace {

struct TrainCommand : TrainArguments {
  LabelChanges labels;
  std::string resume;
  std::vector<std::string> changes, prompts;
  bool dry_run = false, profile = false, report = false, repair = false;
};

RunFolder create_folder(const TrainConfig& config) {
  if (!config.out.empty()) return RunFolder::create(config.out);
  for (;;) {
    const std::string path = RunFolder::free_path(config.task);
    try {
      return RunFolder::create(path);
    } catch (const FileError&) {  // retry if another run has taken the name
      if (RunFolder::free_path(config.task) == path) throw;
    }
  }
}

/// Prints the tables and writes a trace to the run folder.
void print_profile(const Recording& recording, const std::string& folder, const Session& session) {
  tell("\n{}", to_text(profile(recording), session.terminal));
  if (recording.events.empty()) return;
  const std::string path = folder + "/trace.json";
  replace_file(path, to_trace(recording));
  tell("{}", wrapped(session.terminal.width, "trace: {} · for ui.perfetto.dev or chrome://tracing",
                     visible(path)));
}

/// Writes the pages about a run to its folder.
void write_pages(const std::string& folder, const Session& session) {
  for (const SweepFile& page : session.registry.extensions<SweepFile>()) {
    if (!page.of_run) continue;
    const std::string path = folder + "/" + page.name;
    replace_file(path, page.of_run(folder, session));
    tell("{} {}\n", pad_right("page:", 21), visible(path));
  }
}

/// Sets a flag at the first step.
class FirstStepProgress : public Progress {
 public:
  FirstStepProgress(bool* began, const Terminal& terminal, const Task& task, Shown shown)
      : Progress(terminal, task, std::move(shown)), began_(began) {}
  void stepped(Index step, double lr, const StepResult& result) override {
    if (began_) *began_ = true;
    Progress::stepped(step, lr, result);
  }

 private:
  bool* began_;  // or null
};

/// Prepares the prompts of --prompt. Throws if one doesn't suit the model.
Shown shown_prompts(const TrainCommand& arguments, const Plan& plan) {
  Shown shown;
  std::vector<Prompt>& prompts = shown.prompts;
  const TaskModel& model = *plan.model;
  for (const std::string& text : arguments.prompts) {
    if (plan.task->vocabulary() == 0)
      throw UsageError("--prompt: {} has numeric examples, and a prompt needs tokens; remove it",
                       plan.config.task);
    prompts.push_back(prompt_of(model, *plan.task, plan.task->parse_prompt(text), "--prompt"));
    if (!model.decode({prompts.back().begin}))
      throw UsageError(
          "--prompt needs a model that generates tokens, got --arch {}; remove it, or use --arch "
          "gpt",
          plan.config.arch);
  }
  return shown;
}

void train_in(RunFolder& folder, const Prepared& prepared, const TrainCommand& arguments,
              Shown shown, const Job& job, Session& session, bool* began = nullptr) {
  const auto& [config, data, plan] = prepared;
  const auto profiler = arguments.profile ? std::make_unique<Profiler>() : nullptr;
  shown.hint = follow_hint(folder.path(), session);
  shown.record = [&folder, first = true](Index step, const auto& texts) mutable {
    Json samples = Json::array();
    for (const GeneratedText& one : texts)
      samples.push_back({{"prompt", one.prompt}, {"text", one.text}});
    const MetricsFile file(folder.path(), samples_name);
    // A resumed run may evaluate its last step again.
    if (std::exchange(first, false)) file.rewind(step - 1);
    file.append(to_text(Json{{"step", step}, {"samples", std::move(samples)}}));
  };
  folder.record(deciding_toml(config, session.registry), data);
  TrainOutcome outcome;
  {
    const StopSignals signals;
    FirstStepProgress progress(began, session.terminal, *plan.task, std::move(shown));
    try {
      outcome = train(plan, session.registry, folder, progress, signals.stop, profiler.get(),
                      job.make_ranks());
    } catch (const DivergedError&) {
      progress.stopped();
      throw;
    }
    if (outcome.interrupted) progress.stopped();
  }
  if (outcome.reached_goal)
    tell("--until {} was reached at step {} of {}\n", config.until, outcome.steps, config.steps);
  if (outcome.out_of_patience)
    tell("early stopping (--patience {}): no improvement since step {}; ended at step {} of {}\n",
         config.patience, outcome.best_step, outcome.steps, config.steps);
  if (outcome.interrupted) {
    tell("interrupted after step {} of {}; all steps are saved\n", outcome.steps, config.steps);
    tell("to continue:  {} train --resume {}\n", session.program, shell_word(folder.path()));
    session.status = StopSignals::status;
  } else {
    print_outcome(outcome, *plan.task, *plan.model, folder.path(), session);
    if (arguments.report) write_pages(folder.path(), session);
  }
  if (profiler) print_profile(profiler->recording(), folder.path(), session);
}

/// Returns what remains of a run that failed after its first step.
std::string leftover_message(const RunFolder& folder) {
  try {
    if (folder.has_checkpoint()) return "";
  } catch (const Error&) {
    return "";  // the run can't be read; the first error matters more
  }
  return fmt::format("; {} is kept, without a checkpoint", visible(folder.path()));
}

/// Removes the folder of a run that failed before its first step, and returns a message about it.
std::string abandon_run(RunFolder& folder) {
  const std::string path = visible(folder.path());
  folder.abandon();
  std::error_code ignored;
  return fmt::format(
      "; no step was completed, and {} is {}", path,
      std::filesystem::exists(folder.path(), ignored) ? "left without a run" : "removed");
}

/// Trains on a rank other than 0.
void train_as_follower(const Plan& plan, const Job& job, const Session& session) {
  const StopSignals signals;
  follow(plan, session.registry, signals.stop, job.make_ranks());
}

void start(const TrainCommand& arguments, Job& job, Session& session) {
  if (arguments.repair) throw UsageError("--repair needs --resume RUN");
  if (!arguments.changes.empty()) throw UsageError("--change needs --resume RUN");
  if (arguments.dry_run && arguments.profile)
    throw UsageError(
        "--dry-run and --profile can't be combined, since a dry run writes no trace; remove one");
  Prepared prepared;
  const auto& [config, data, plan] = prepared;
  // All checks come before the folder is created.
  const RunLabels labels = changed({}, arguments.labels);
  job.agree([&]() -> Job::Facts {
    const TrainConfig valid = new_config(arguments, session.registry);
    prepared = prepare_new(valid, job, session.registry);
    if (!arguments.dry_run) check_memory(prepared.plan, session.registry);
    return {{"another version", TAPEHEAD_VERSION},
            {"other options", deciding_toml(valid, session.registry)},
            {"other data", prepared.data}};
  });
  if (!job.leads()) return arguments.dry_run ? void() : train_as_follower(plan, job, session);
  const std::string head = headline(plan, job.ranks(), session) + data_note(*plan.task, session) +
                           warmup_note(config, session) + causal_note(plan, session);
  if (arguments.dry_run) {
    put("{}\n", head);
    put("{}", to_text(estimate_run(plan, session.registry), session.terminal));
    flush_output();
    return check_memory(plan, session.registry);
  }
  const Shown shown = shown_prompts(arguments, plan);
  const std::string notes = slow_step_note(plan, session) + repetition_note(*plan.task, session);
  RunFolder folder = create_folder(config);
  tell("{}{}", head, notes);
  bool began = false;
  try {
    folder.write_config(to_toml(config, session.registry));
    write_labels(folder.path(), labels);
    train_in(folder, prepared, arguments, shown, job, session, &began);
  } catch (Error& error) {
    if (!began)
      error.append(abandon_run(folder));
    else if (!dynamic_cast<WriteError*>(&error))  // resume_hint adds a hint
      error.append(leftover_message(folder));
    throw;
  } catch (...) {
    if (!began) abandon_run(folder);
    throw;
  }
}

void resume(const TrainCommand& arguments, Job& job, Session& session) {
  if (arguments.dry_run) throw UsageError("--dry-run and --resume can't be combined; remove one");
  std::optional<RunFolder> folder;  // of rank 0
  std::optional<RunLabels> labels;  // changed labels
  ResumedConfig resumed;            // of rank 0
  job.agree([&]() -> Job::Facts {
    if (job.leads()) {
      folder.emplace(RunFolder::resume(arguments.resume, message, arguments.repair));
      if (arguments.repair) repair_config(*folder, arguments.changes, session.registry);
      resumed = resumed_config(arguments, arguments.changes, *folder, session.registry);
      if (arguments.labels.any()) labels = changed(read_labels(folder->path()), arguments.labels);
    }
    return {{"another version", TAPEHEAD_VERSION},
            {"other options",
             fmt::format("{} {}", arguments.resume, fmt::join(arguments.changes, " "))}};
  });
  const TrainConfig located = with_files(resumed.config, resumed.moved);
  const std::string toml = job.broadcast(job.leads() ? to_toml(located, session.registry) : "");
  if (!job.leads())
    resumed.config =
        validated(config_from_toml(toml, "rank 0", session.registry), session.registry);
  if (job.leads()) note_changed_code(*folder);
  Prepared prepared;
  const auto& [config, data, plan] = prepared;
  job.agree([&]() -> Job::Facts {
    prepared = prepare_resumed(resumed.config, resumed.moved, resumed.data, job, session.registry);
    check_memory(prepared.plan, session.registry);
    if (job.leads() && !arguments.changes.empty())
      check_fits(prepared.plan, arguments.changes, *folder, session.registry);
    return {{"other data", prepared.data}};
  });
  if (!job.leads()) return train_as_follower(plan, job, session);
  const Shown shown = shown_prompts(arguments, plan);
  defer_config(config, resumed.recorded, !arguments.changes.empty(), *folder, session.registry);
  if (labels) folder->defer([&] { write_labels(folder->path(), *labels); });
  tell("{}", headline(plan, job.ranks(), session));
  try {
    train_in(*folder, prepared, arguments, shown, job, session);
  } catch (Error& error) {
    if (!arguments.changes.empty() && folder->has_deferred())
      error.append(fmt::format("; {} is unchanged", visible(folder->path())));
    throw;
  }
}

/// Returns what is saved of a run whose folder can't be written, and how to continue.
std::string resume_hint(const WriteError& error, const Session& session) {
  if (!std::filesystem::exists(error.run + "/config.toml")) return "";  // no run was started
  const Index saved = RunFolder::open(error.run).last_step();
  const std::string text = error.what();
  bool is_full = false;
  for (int reason : {
           ENOSPC,
           EFBIG,
#ifdef EDQUOT
           EDQUOT,
#endif
       })
    is_full |= text.find(std::generic_category().message(reason)) != std::string::npos;
  return fmt::format("; {}; {}: {} train --resume {}",
                     saved < 0 ? "no checkpoint has been saved yet"
                               : fmt::format("the checkpoint of step {} is intact", saved),
                     is_full ? "free some space, then" : "once it is writable", session.program,
                     shell_word(error.run));
}

/// Returns the job of this process.
std::unique_ptr<Job> make_job(const Registry& registry) {
  for (const JobExtension& several : registry.extensions<JobExtension>())
    if (auto job = several.make()) return job;
  return std::make_unique<Job>();
}

void add_own_options(const Command& command, bool all, TrainCommand& arguments,
                     const Registry& registry) {
  const char* const rare = all ? "Running" : CommandOption::not_shown;
  command.option("--resume", "RUN", arguments.resume, "interrupted run to continue")
      .group("Running");
  command
      .words("--change", "NAMES", arguments.changes,
             "with --resume: names of the options to change")
      .comma_separated()
      .group(rare);
  command
      .flag("--repair", arguments.repair, "with --resume: repair damaged metrics and config.toml")
      .group(rare);
  command
      .option(
          "--name", "TEXT",
          [&changes = arguments.labels](const std::string& name) { changes.name = name; },
          "name of the run in lists and on pages")
      .group(rare);
  command
      .option(
          "--note", "TEXT",
          [&changes = arguments.labels](const std::string& note) { changes.note = note; },
          "note about the run")
      .group(rare);
  command.words("--tag", "TAGS", arguments.labels.tags, "tags of the run, to find it by")
      .comma_separated()
      .group(rare);
  command
      .words("--prompt", "TEXT", arguments.prompts,
             "prompt whose continuation is shown at each evaluation; repeatable")
      .repeated()
      .group(rare);
  command
      .flag("--dry-run", arguments.dry_run,
            "summary of the model, its memory and time; nothing is trained or written")
      .group("Running");
  command
      .flag("--profile", arguments.profile,
            "cost of a step by op and module, and a trace in RUN/trace.json")
      .group("Running");
  for (const SweepFile& page : registry.extensions<SweepFile>())
    if (page.of_run)
      command
          .flag("--report", arguments.report,
                fmt::format("{} at the end, RUN/{}", page.what, page.name))
          .group("Running");
  for (const JobExtension& several : registry.extensions<JobExtension>())
    several.add_options(command, rare);
}

/// Lists the tasks, and throws UsageError.
[[noreturn]] void refuse_without_task(const Session& session) {
  Table table({Table::Align::left, Table::Align::left});
  for (const TaskEntry& entry : session.registry.tasks()) table.add({entry.name, entry.summary});
  put("Tasks:\n{}\n", table.text(session.terminal.width, 2));
  throw UsageError("train needs a task; start with: {} train copy", session.program);
}

}  // namespace

void reserve_command_options(Registry& registry) {
  for (const char* name : {"help", "config", "preset", "resume", "change", "repair", "dry-run",
                           "profile", "report", "json", "name", "note", "tag", "prompt"})
    registry.command_option(name);
}

void add_train_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<TrainCommand>();
  const Command train = app.add("train", "train a model on a task");
  const bool all = session.all_options;
  train.footer(fmt::format("{}Options and defaults of a task: {} train TASK --help.",
                           all ? "" : fmt::format("{}\n", most_used_note), session.program));
  std::vector<TrainConfig> defaults;
  if (session.help)
    for (const TaskEntry& entry : session.registry.tasks())
      defaults.push_back(default_config(entry));
  add_train_options(train, common_options(session.registry), defaults, all, *arguments);
  add_options_of_tasks(train, session.registry, *arguments);
  add_own_options(train, all, *arguments, session.registry);
  for (const TaskEntry& entry : tasks_called(session)) {
    const Command task = train.add(entry.name, entry.summary);
    add_task_options(task, entry, session.registry, session.all_options, *arguments);
    add_own_options(task, session.all_options, *arguments, session.registry);
  }
  train.on_run([=, &session] {
    arguments->task = train.chosen();
    if (arguments->task.empty() && arguments->configs.empty() && arguments->resume.empty())
      refuse_without_task(session);
    for (std::string& name : arguments->changes)
      name = without_alias(common_options(session.registry), name);
    const WriteSignalGuard closed_pipe(WriteSignalGuard::To::pipe);
    const std::unique_ptr<Job> job = make_job(session.registry);
    job->run(session, [&] {
      try {
        arguments->resume.empty() ? start(*arguments, *job, session)
                                  : resume(*arguments, *job, session);
      } catch (const WriteError& error) {
        throw FileError("{}{}", error.what(), resume_hint(error, session));
      }
    });
  });
}

}  // namespace tapehead
