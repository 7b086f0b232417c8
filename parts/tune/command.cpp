#include "command.hpp"
#include "../../cli/options/train_arguments.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/progress_line.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/message.hpp"
#include "../../train/optimizers.hpp"
#include "../../train/plan.hpp"
#include "../../train/runs/files.hpp"
#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace tapehead {
namespace {

struct TuneArguments {
  TrainArguments train;
  RangeOptions range;
  Index trial_steps = 0;  // 0: a fifth of --steps
  std::string to_file;
  bool json = false;
};

std::string ending_of(const TuneArguments& arguments) {
  const std::string ending = std::filesystem::path(arguments.to_file).extension().string();
  if (!arguments.to_file.empty() && ending != ".html" && ending != ".svg")
    throw UsageError("--picture {}: the ending must be .html or .svg", arguments.to_file);
  return ending;
}

void check(const TuneArguments& arguments) {
  const auto& [from, to, steps] = arguments.range;
  if (!(from > 0) || !(to > from) || !std::isfinite(to))
    throw UsageError("--from {} --to {}: the rate grows from a number above 0 to a larger one",
                     from, to);
  if (steps < 20) throw UsageError("--range-steps must be at least 20, not {}", steps);
  if (arguments.trial_steps < 0)
    throw UsageError("--trial-steps must be at least 0, not {}", arguments.trial_steps);
  ending_of(arguments);
}

void tune(const TuneArguments& arguments, Session& session) {
  check(arguments);
  TrainConfig config = new_config(arguments.train, session.registry);
  const std::shared_ptr<const Task> task = make_task(config, session.registry);
  const Plan plan = make_plan(config, *task, session.registry);
  check_optimizer(config, *plan.model->module, session.registry);
  check_memory(plan, config, *task, session.registry);
  const StopSignals signals;
  RateSearch search;
  search.task = config.task;
  search.range = arguments.range;
  search.has_answers = task->has_answers();
  search.trial_steps =
      arguments.trial_steps > 0 ? arguments.trial_steps : std::max<Index>(config.steps / 5, 1);
  {
    ProgressLine line(session.terminal, "range test");
    search.test = range_test(
        config, session.registry, task, arguments.range, [&](double share) { line(share); },
        StopSignals::stop);
  }
  if (!StopSignals::stop) {
    ProgressLine line(session.terminal, "three short runs");
    const double middle = search.test.candidate();
    for (const double lr : {two_digits(middle / 3), middle, two_digits(middle * 3)}) {
      const double done = static_cast<double>(search.trials.size());
      search.trials.push_back(try_rate(
          config, lr, search.trial_steps, session.registry, task,
          [&](double share) { line((done + share) / 3); }, StopSignals::stop));
    }
  }
  if (StopSignals::stop) {
    message("interrupted; nothing was written");
    session.status = StopSignals::status;
    return;
  }
  if (!arguments.to_file.empty())
    write_file(arguments.to_file,
               ending_of(arguments) == ".svg" ? to_svg(search) : to_page(search));
  if (arguments.json) return print_json(to_json(search));
  put("{}", to_text(search, session.terminal));
  if (!arguments.to_file.empty())
    put("{}", wrapped("as a picture: " + visible(arguments.to_file), session.terminal.width));
}

}  // namespace

void add_tune_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<TuneArguments>();
  const Command command = app.add("tune", "find a learning rate");
  const Command lr = command.add("lr", "a range test, then three short runs");
  lr.footer(
      "The rate grows over some hundred steps until the loss diverges; a tenth of the rate with "
      "the lowest loss, and a third and three times that, are then tried. Smith, Cyclical "
      "learning rates for training neural networks, 2017.");
  for (const TaskEntry& entry : session.registry.tasks()) {
    const Command task = lr.add(entry.name, entry.summary);
    const auto add = [&](const char* name, auto& target, const char* help, const char* shown) {
      task.option(name, target, help).shown_default(shown).group("Range test");
    };
    add("--from", arguments->range.from, "the first rate", "1e-6");
    add("--to", arguments->range.to, "the last one, if the loss doesn't diverge before", "10");
    add("--range-steps", arguments->range.steps, "steps from one to the other", "200");
    add("--trial-steps", arguments->trial_steps, "of each short run; 0: a fifth of --steps", "0");
    task.option("--picture", "FILE", arguments->to_file, "write a picture, FILE.svg, or FILE.html")
        .group("Range test");
    add_json(task, arguments->json).group("Range test");
    add_task_options(task, entry, session.registry, session.all_options, arguments->train);
  }
  command.on_run([=, &session] {
    if (command.chosen().empty()) throw UsageError("tune needs what to tune: lr");
    if (lr.chosen().empty())
      throw UsageError("tune lr needs a task, as in {} tune lr copy", session.program);
    arguments->train.task = lr.chosen();
    tune(*arguments, session);
  });
}

}  // namespace tapehead
