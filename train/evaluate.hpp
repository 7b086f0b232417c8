#pragma once
#include "data/evaluation.hpp"
#include "model/architecture.hpp"

#include <atomic>
#include <functional>

namespace tapehead {

class Json;

/// Evaluates at most `examples` held-out examples on all threads; the result doesn't depend on
/// their number. `on_progress` is called with the fraction done, from any thread, but never from
/// two at once. When `stop` becomes true, it ends early, with a result of 0 examples.
Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode = true,
                    const std::function<void(double fraction)>& on_progress = {},
                    const std::vector<Metric>& metrics = {},
                    const std::atomic<bool>* stop = nullptr);

/// Registered by Registry::extend, it is among the metrics of an evaluation while training. What
/// takes long has an option of its own that asks for it.
struct ModelMetric {
  std::string name;  ///< as metrics.jsonl has it
  std::function<bool(const TrainConfig&)> asked;
  std::function<double(const TaskModel&, const Task&, const TrainConfig&)> compute;
};

/// How many of the first `examples` held-out ones differ from each other.
Index count_distinct_held_out(const Task& task, Index examples);
/// Throws ValueError that names the first token of the first `examples` held-out ones that isn't
/// below the size of the task's vocabulary.
void check_held_out(const Task& task, Index examples);

/// {quantity, axis, lines: {name: values}}
Json to_json(const AnswerCurves& curves);

/// Number of held-out examples evaluated in one batch.
Index evaluation_batch_size(const Task& task);
/// The likeliest token of each row of logits, (rows, vocabulary).
std::vector<int> most_likely_tokens(const Tensor& logits);

/// parallel_for that calls `on_progress`, if there is one, with the fraction done after each i,
/// never from two threads at once.
void parallel_for_with_progress(Index n, const std::function<void(double fraction)>& on_progress,
                                const std::function<void(Index)>& work);

}  // namespace tapehead
