#include "lengths.hpp"
#include "../../train/config/length_options.hpp"
#include "../../train/config/options.hpp"
#include "../../train/data/mixed_lengths.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/model/lengthen.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

TrainedLengths trained_lengths(const TrainConfig& config, const Registry& registry,
                               const std::string& given) {
  const std::string& name = registry.find_task(config.task).length_option;
  const auto option = config.task_options.find(name);
  if (option == config.task_options.end())
    throw UsageError("{}: the task {} has no length option; remove {}, or use --by length", given,
                     config.task, given.substr(0, given.find(' ')));
  const std::string mixed = lengths_in(config.task_options);
  if (!mixed.empty()) return {name, parse_lengths(mixed), "lengths " + mixed};
  return {name, {to_index("--" + name, option->second)}, name + " " + option->second};
}

AtLength at_length(const LoadedRun& run, Index length, const Registry& registry,
                   const std::string& given) {
  TrainConfig config = run.config;
  const std::string& name = registry.find_task(config.task).length_option;
  config.task_options[lengths_in(config.task_options).empty() ? name : "lengths"] =
      std::to_string(length);
  const auto refuse = [&](const std::string& why) -> AtLength {
    const std::string option = given.substr(0, given.find(' ') + 1);
    throw UsageError("{}{}", starts_with(why, option) ? "" : given + ": ", why);
  };
  try {
    AtLength result{make_task(config, registry, run.held_out), nullptr};
    result.model = with_longer_context(*run.model, run.config, *result.task, registry);
    return result;
  } catch (const UsageError& error) {
    return refuse(error.what());
  } catch (const ValueError& error) {  // the model's constructor
    return refuse(error.what());
  }
}

std::string length_note(const LoadedRun& run, const TrainedLengths& trained,
                        const std::string& others) {
  const bool is_one_sequence = run.model->options.source == 0 && run.model->arch != "encoder";
  if (!is_one_sequence || run.task->shows_prompt_end()) return "";
  return fmt::format(
      "no token ends a prompt of {}, so a {} trained on {} starts its completion after {} tokens; "
      "expect 0 % at {}, or train with --lengths",
      run.config.task, run.model->arch, trained.text, run.task->longest_question(), others);
}

Interval exact_match_interval(double exact_match, Index examples) {
  return wilson(std::llround(exact_match * static_cast<double>(examples)), examples);
}

std::vector<LengthResult> evaluate_lengths(
    const LoadedRun& run, const std::vector<Index>& lengths, Index examples,
    const Registry& registry, const std::string& given,
    const std::function<void(double fraction)>& on_progress) {
  const std::string& option = registry.find_task(run.config.task).length_option;
  const auto at = [&](Index length) {
    return at_length(run, length, registry, fmt::format("{}: at {} {}", given, option, length));
  };
  at(lengths.back());
  const double all = [&] {  // longer examples take more time
    double sum = 0;
    for (const Index length : lengths) sum += static_cast<double>(length);
    return sum;
  }();
  std::vector<LengthResult> results;
  double done = 0;
  for (const Index length : lengths) {
    const auto [task, model] = at(length);
    const auto progress = [&](double fraction) {
      if (on_progress) on_progress((done + fraction * static_cast<double>(length)) / all);
    };
    results.push_back({length, evaluate(model ? *model : *run.model, *task, examples, true,
                                        progress, registry.metrics())});
    if (!std::isfinite(results.back().evaluation.loss))
      throw Error("eval: the loss at length {} isn't finite, although all weights are", length);
    done += static_cast<double>(length);
  }
  return results;
}

}  // namespace tapehead
