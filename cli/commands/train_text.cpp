#include "train_text.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../../train/watch/benchmark.hpp"
#include "../extensions.hpp"
#include "../terminal/evaluation_text.hpp"
#include "../terminal/output.hpp"

#include <cmath>
#include <map>

namespace tapehead {
namespace {

/// `16 of 16 tokens`, the length and the vocabulary, or the task's options by name.
std::string describe(const TaskEntry& entry, const Task& task, const TaskOptions& options) {
  if (options.count("length") && options.count("symbols"))
    return fmt::format("{} of {} token{}", options.at("length"), options.at("symbols"),
                       options.at("symbols") == "1" ? "" : "s");
  std::string text;
  for (const Option& option : entry.options) {
    const std::string &name = option.name, &value = options.at(name);
    if (value.empty() || task.recorded_options().count(name)) continue;
    text += name == "data" ? value + ", " : fmt::format("{} {}, ", name, value);
  }
  return text + (task.vocabulary() > 0 ? plural(task.vocabulary(), "token") : "numbers");
}

/// The loss of guessing by how often each token is the target, in nats; 0 without tokens.
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

/// Says that a model has learned no more than how often each token occurs.
std::string chance_notice(const Evaluation& held_out, int width) {
  if (held_out.unit != Evaluation().unit) return "";
  const double guessing = guessing_loss(held_out);
  if (guessing <= 0 || held_out.loss < 0.99 * guessing) return "";
  return wrapped(
      fmt::format("chance level: the loss {:.4f} is no better than guessing by token frequency "
                  "({:.4f}); try another --lr, or more --steps",
                  held_out.loss, guessing),
      width);
}

}  // namespace

std::string headline(const Plan& plan, int ranks, const Session& session) {
  const TrainConfig& config = plan.config;
  const std::string line = fmt::format(
      "{} · {} · {} {}, {}, width {} · {} · seed {} · {}{}", config.task,
      describe(session.registry.find_task(config.task), *plan.task, config.task_options),
      config.arch, plural(config.model.layers, "layer"), plural(config.model.heads, "head"),
      config.model.width, grouped(count_parameters(*plan.model->module), "parameter"), config.seed,
      ranks > 0 ? plural(ranks, "rank") + " · " : "", plural(plan.layout.threads, "thread"));
  return wrapped(visible(line), session.terminal.width);
}

std::string only_warmup(const TrainConfig& config, const Session& session) {
  if (config.warmup < config.steps) return "";
  return wrapped(fmt::format("--warmup {} of {}: the learning rate doesn't reach --lr {}",
                             config.warmup, plural(config.steps, "step"), config.lr),
                 session.terminal.width);
}

std::string takes_long(const Plan& plan, const Session& session, double flops_per_second) {
  constexpr double few = 1e11, long_step = 10;  // operations, seconds
  const TaskModel& model = *plan.model;
  const double tokens = static_cast<double>(plan.config.batch) *
                        static_cast<double>(model.block_positions() + model.options.source);
  // Forward 2 for each parameter and token, backward twice as many.
  const double flops = 6 * tokens * static_cast<double>(count_parameters(*model.module));
  if (flops < few) return "";
  double speed = flops_per_second;
  if (speed == 0) {
    const ThreadScope threads(plan.layout.threads);
    speed = 1e9 * sgemm_gflops(plan.layout.threads);
  }
  if (flops / speed < long_step) return "";
  return wrapped(fmt::format("a step takes about {}, and the run {:.1f} GB of memory",
                             duration(flops / speed), 1e-9 * plan.need.total()),
                 session.terminal.width);
}

std::string repeats(const Task& task, const Session& session) {
  if (!task.has_answers()) return "";
  constexpr Index enough = 100'000;
  const Index all = std::min(held_out_size(task), enough);
  const Index different = count_distinct_held_out(task, all);
  if (!many_repeat(different, all)) return "";
  return wrapped(fmt::format("held out: {}, which make {} with repetitions",
                             grouped(different, "different example"), grouped(all)),
                 session.terminal.width);
}

std::string how_to_follow(const std::string& path, const Session& session) {
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
      : task.has_answers() ? fmt::format("exact match {} of {} held-out",
                                         percent(held_out.exact_match), grouped(held_out.examples))
                           : "held-out " + loss_text(held_out);
  const int width = session.terminal.width;
  tell("{}", wrapped(fmt::format("{} in {} · {} · {}", paint(session.terminal, Style::bold, "done"),
                                 duration(outcome.seconds), result, visible(path)),
                     width));
  if (!outcome.digest.empty()) tell("digest of weights:    {}\n", outcome.digest);
  tell("memory for tensors:   {:.1f} MB at most\n", 1e-6 * static_cast<double>(outcome.peak_bytes));
  if (outcome.gflops > 0) tell("arithmetic of steps:  {:.3g} GFLOP/s\n", outcome.gflops);
  if (outcome.skipped > 0)
    tell("skipped:              {} with a non-finite loss or gradient\n",
         plural(outcome.skipped, "step"));
  tell("{}", chance_notice(held_out, width));
  if (outcome.best_step >= 0 && outcome.best_step != outcome.steps)
    tell("better at step {}: {}{} {} · --checkpoint best\n", outcome.best_step,
         task.has_answers() ? fmt::format("exact match {}, ", percent(outcome.best.exact_match))
                            : "",
         outcome.best.loss_name,
         // A loss that is nearly 0 isn't written as 0.
         fmt::format(outcome.best.loss < 1e-3 ? "{:.1e}" : "{:.4f}", outcome.best.loss));
  // Where a line has no room for both, the command has one of its own, to be copied.
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
