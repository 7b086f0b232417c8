#pragma once
#include "data/evaluation.hpp"
#include "model/architecture.hpp"

#include <atomic>
#include <functional>

namespace tapehead {

class Json;

/// Evaluates at most `examples` validation examples on all threads. The result doesn't depend on
/// the number of threads. Calls `on_progress` with the fraction done, from any thread, but one call
/// at a time. If `stop` becomes true, returns early with Evaluation::examples = 0.
Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode = true,
                    const std::function<void(double fraction)>& on_progress = {},
                    const std::vector<Metric>& metrics = {},
                    const std::atomic<bool>* stop = nullptr);

/// A metric of the whole model, or several metrics from one computation, measured at each
/// evaluation during training. Register it with Registry::extend. `asked` returns whether the
/// configuration enables the metric, since expensive metrics have their own option.
struct ModelMetric {
  using Asked = std::function<bool(const TrainConfig&)>;
  template <class Result>
  using Compute = std::function<Result(const TaskModel&, const Task&, const TrainConfig&)>;

  ModelMetric(const std::string& name, Asked asked_, Compute<double> compute_)
      : names{name}, asked(std::move(asked_)), compute([one = std::move(compute_)](auto&&... all) {
          return std::vector<double>{one(all...)};
        }) {}
  ModelMetric(std::vector<std::string> names_, Asked asked_, Compute<std::vector<double>> compute_)
      : names(std::move(names_)), asked(std::move(asked_)), compute(std::move(compute_)) {}

  std::vector<std::string> names;  ///< keys in metrics.jsonl
  Asked asked;
  Compute<std::vector<double>> compute;  ///< returns a value for each name
};

/// Returns the number of distinct examples among the first `examples` validation examples.
Index count_distinct_held_out(const Task& task, Index examples);
/// Throws ValueError if one of the first `examples` validation examples has a token outside the
/// task's vocabulary.
void check_held_out(const Task& task, Index examples);

/// Returns the curves as {quantity, axis, lines: {name: values}}.
Json to_json(const AnswerCurves& curves);

/// Returns the number of validation examples per batch.
Index evaluation_batch_size(const Task& task);
/// Returns the most likely token of each row of logits (rows, vocabulary).
std::vector<int> most_likely_tokens(const Tensor& logits);

/// Runs parallel_for and calls `on_progress`, if given, with the fraction done after each i, one
/// call at a time.
void parallel_for_with_progress(Index n, const std::function<void(double fraction)>& on_progress,
                                const std::function<void(Index)>& work);

}  // namespace tapehead
