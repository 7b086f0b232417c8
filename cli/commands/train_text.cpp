#include "train_text.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "../../train/config/length_options.hpp"
#include "../../train/config/options.hpp"
#include "../../train/model/parts.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../../train/watch/benchmark.hpp"
#include "../extensions.hpp"
#include "../terminal/evaluation_text.hpp"
#include "../terminal/output.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tapehead {
namespace {

/// Returns the task's options, without switches that are off, and the vocabulary size: `length 16 ·
/// vocabulary 10`.
std::string describe(const TaskEntry& entry, const Task& task, const TaskOptions& options) {
  std::vector<std::string> words;
  const bool has_several = !lengths_in(options).empty();
  for (const Option& option : entry.options) {
    const std::string &name = option.name, &value = options.at(name);
    if (value.empty() || value == "false" || name == "symbols" ||
        (has_several && name == entry.length_option) || task.recorded_options().count(name))
      continue;
    words.push_back(name == "data" ? value : fmt::format("{} {}", name, value));
  }
  return fmt::format(
      "{}{}{}", fmt::join(words, ", "), words.empty() ? "" : " · ",
      task.vocabulary() > 0 ? fmt::format("vocabulary {}", task.vocabulary()) : "numeric examples");
}

/// Returns the loss of guessing by token frequency, in nats; 0 without tokens.
double guessing_loss(const Evaluation& held_out) {
  std::map<int, double> counts;
  double all = 0, loss = 0;
  for (const auto& [tokens, count] : held_out.confusions) {
    counts[tokens.first] += static_cast<double>(count);
    all += static_cast<double>(count);
  }
  for (const auto& each : counts) loss -= each.second / all * kernel::log(each.second / all);
  return loss;
}

/// Returns a note if a model is no better than guessing by token frequency.
std::string chance_notice(const Evaluation& held_out, int width) {
  if (held_out.unit != Evaluation().unit) return "";
  const double guessing = guessing_loss(held_out);
  if (guessing <= 0 || held_out.loss < 0.99 * guessing) return "";
  return wrapped(width,
                 "chance level: the loss {:.4f} is no better than guessing by token frequency "
                 "({:.4f}); try another --lr, or more --steps",
                 held_out.loss, guessing);
}

}  // namespace

std::string model_size(const TrainConfig& config, const Registry& registry) {
  const bool has_heads =
      find_option(common_options(registry), "heads", config.task).is_read(config);
  return fmt::format("{}{}, width {}", plural(config.model.layers, "layer"),
                     has_heads ? ", " + plural(config.model.heads, "head") : "",
                     config.model.width);
}

std::string headline(const Plan& plan, int ranks, const Session& session) {
  const TrainConfig& config = plan.config;
  const std::string line = fmt::format(
      "{} · {} · {} {} · {} · seed {} · {}{}", config.task,
      describe(session.registry.find_task(config.task), *plan.task, config.task_options),
      config.arch, model_size(config, session.registry),
      grouped(count_parameters(*plan.model->module), "parameter"), config.seed,
      ranks > 0 ? plural(ranks, "rank") + " · " : "", plural(plan.layout.threads, "thread"));
  return wrapped(visible(line), session.terminal.width);
}

std::string warmup_note(const TrainConfig& config, const Session& session) {
  if (config.warmup < config.steps) return "";
  return wrapped(session.terminal.width,
                 "--warmup {} of {}: the learning rate never reaches --lr {}", config.warmup,
                 plural(config.steps, "step"), config.lr);
}

std::string causal_note(const Plan& plan, const Session& session) {
  const TrainConfig& config = plan.config;
  const ModelOptions& options = plan.model->options;
  const bool in_place = options.context > 1 &&
                        session.registry.architectures().make(config.arch).own_attention ==
                            MakeArchitecture::OwnAttention::any &&
                        !options.pooled && plan.task->placeholder() < 0;
  if (!in_place || !is_always_causal(options.attention, options)) return "";
  const auto known = architectures_for(session.registry.find_task(config.task), session.registry);
  const bool has_gpt = contains(known, "gpt");
  return wrapped(fmt::format("{} is causal: this encoder predicts each target from the tokens up "
                             "to it, not from later ones; use --mixer standard{}",
                             config.attention, has_gpt ? ", or --arch gpt" : ""),
                 session.terminal.width);
}

std::string slow_step_note(const Plan& plan, const Session& session, double flops_per_second) {
  constexpr double few = 1e11, long_step = 10;  // operations, seconds
  const TaskModel& model = *plan.model;
  const double tokens = static_cast<double>(plan.config.batch) *
                        static_cast<double>(model.block_positions() + model.options.source);
  // Per parameter and token: 2 forward, 4 backward.
  const double flops = 6 * tokens * static_cast<double>(count_parameters(*model.module));
  if (flops < few) return "";
  double speed = flops_per_second;
  if (speed == 0) {
    const ThreadScope threads(plan.layout.threads);
    speed = 1e9 * sgemm_gflops(plan.layout.threads);
  }
  if (flops / speed < long_step) return "";
  return wrapped(session.terminal.width, "estimate: {} per step, {:.1f} GB of memory",
                 duration(flops / speed), 1e-9 * plan.need.total());
}

std::string data_note(const Task& task, const Session& session) {
  const std::string note = task.data_note();
  return note.empty() ? "" : wrapped("data: " + visible(note), session.terminal.width);
}

std::string repetition_note(const Task& task, const Session& session) {
  if (!task.has_answers()) return "";
  constexpr Index enough = 100'000;
  const Index all = std::min(held_out_size(task), enough);
  const Index different = count_distinct_held_out(task, all);
  if (!has_many_repetitions(different, all)) return "";
  return wrapped(session.terminal.width, "validation (held-out) set: {}, {} with repetitions",
                 grouped(different, "different example"), grouped(all));
}

std::string follow_hint(const std::string& path, const Session& session) {
  std::string hint;
  for (const CommandEntry& entry : all_commands(session.registry))
    if (!entry.follows.empty())
      hint +=
          fmt::format("{}{} {} {} {}", hint.empty() ? "watch it from another terminal:  " : ", ",
                      session.program, entry.name, shell_word(path), entry.follows);
  return hint;
}

void print_outcome(const TrainOutcome& outcome, const Task& task, const TaskModel& model,
                   const std::string& path, const Session& session) {
  const Evaluation& held_out = outcome.evaluation;
  const bool is_finite = std::isfinite(held_out.loss);
  const std::string result =
      !is_finite           ? "diverged: the loss of the last evaluation isn't finite"
      : task.has_answers() ? fmt::format("exact match {} of {} validation examples",
                                         percent(held_out.exact_match), grouped(held_out.examples))
                           : "validation " + loss_text(held_out);
  const int width = session.terminal.width;
  tell("{}", wrapped(width, "{} in {} · {} · {}", paint(session.terminal, Style::bold, "done"),
                     duration(outcome.seconds), result, visible(path)));
  if (!outcome.digest.empty()) tell("weight hash:          {}\n", outcome.digest);
  tell("peak tensor memory:   {:.1f} MB\n", 1e-6 * static_cast<double>(outcome.peak_bytes));
  if (outcome.gflops > 0) tell("training speed:       {:.3g} GFLOP/s\n", outcome.gflops);
  if (outcome.skipped > 0)
    tell("skipped:              {} with a non-finite loss or gradient\n",
         plural(outcome.skipped, "step"));
  tell("{}", chance_notice(held_out, width));
  if (outcome.best_step >= 0 && outcome.best_step != outcome.steps)
    tell("better at step {}: {}{} {} · --checkpoint best\n", outcome.best_step,
         task.has_answers() ? fmt::format("exact match {}, ", percent(outcome.best.exact_match))
                            : "",
         outcome.best.loss_name,
         // Avoids writing a small loss as 0.
         fmt::format(outcome.best.loss < 1e-3 ? "{:.1e}" : "{:.4f}", outcome.best.loss));
  // If label and command don't fit in a line, the command gets its own line.
  for (const CommandEntry& entry : all_commands(session.registry)) {
    const std::string& what = entry.recommended;
    if (what.empty() || (entry.needs_tokens && (task.vocabulary() == 0 || !is_finite))) continue;
    if (entry.shows && !entry.shows(model, task)) continue;
    const std::string line = fmt::format("{} {} {}", session.program, entry.name, shell_word(path));
    const bool fits = 22 + display_width(line) <= width;
    tell("{}{}\n", fits ? pad_right(what, 22) : fmt::format("{}\n  ", what), line);
  }
}

}  // namespace tapehead
