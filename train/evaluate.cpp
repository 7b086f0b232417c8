#include "evaluate.hpp"
#include "../core/numerics.hpp"
#include "../core/runtime/parallel.hpp"
#include "files/json.hpp"
#include "files/number.hpp"
#include "step/step.hpp"

#include <algorithm>
#include <mutex>
#include <set>

namespace tapehead {
namespace {

/// Returns which completions are entirely right by greedy decoding, given the first `given` tokens
/// of each example. Teacher forcing gives the same result: until the first mistake, the correct
/// token is the model's own prediction, and later tokens don't count.
std::vector<bool> find_right(const TaskModel& model, const std::vector<Example>& examples,
                             std::size_t given) {
  std::vector<std::vector<int>> questions;
  for (const Example& e : examples)
    questions.emplace_back(e.tokens.begin(), e.tokens.begin() + static_cast<Index>(given));
  const auto decoding = model.decode(questions);
  if (!decoding)
    throw ValueError(
        "{}: the architecture can't generate, but the task has completions; implement decode",
        model.arch);
  std::vector<bool> right(examples.size(), true);
  std::vector<int> chosen;
  for (std::size_t position = given;; ++position) {
    bool asked = false;
    for (std::size_t i = 0; i < examples.size(); ++i)
      asked |= right[i] && position < examples[i].tokens.size();
    if (!asked) break;
    const Tensor logits = next_logits(*decoding, chosen, static_cast<Index>(examples.size()));
    const std::vector<int> predicted = logits ? most_likely_tokens(logits) : std::vector<int>();
    chosen.assign(examples.size(), 0);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (position >= examples[i].tokens.size()) continue;
      chosen[i] = examples[i].tokens[position];
      right[i] = right[i] && logits && predicted[i] == chosen[i];
    }
  }
  return right;
}

/// Returns which examples are completed correctly. Decodes prompts of equal length together.
std::vector<bool> find_right(const TaskModel& model, const std::vector<Example>& examples) {
  std::map<std::size_t, std::vector<std::size_t>> by_length;  // indices of examples
  for (std::size_t i = 0; i < examples.size(); ++i)
    by_length[static_cast<std::size_t>(std::max<Index>(examples[i].question, 1))].push_back(i);
  std::vector<bool> right(examples.size());
  for (const auto& [given, indices] : by_length) {
    std::vector<Example> some;
    for (const std::size_t i : indices) some.push_back(examples[i]);
    const std::vector<bool> found = find_right(model, some, given);
    for (std::size_t i = 0; i < indices.size(); ++i) right[indices[i]] = found[i];
  }
  return right;
}

using Count = Evaluation::Count;
using ByLength = std::map<Index, Evaluation::OfLength>;

void add(ByLength& sum, const ByLength& part) {
  for (const auto& [length, counts] : part) sum[length].add(counts);
}

struct Tally {
  double loss = 0, counted = 0;  // sum of losses, and number of values in the sum
  Index targets = 0, right = 0;
  std::vector<Count> positions, examples;  // by position in the completion; by example of a part
  ByLength by_source, by_target;
  std::map<std::pair<int, int>, Index> confusions;
  std::map<std::string, double> metrics;  // sums over the examples
  AnswerCurves curves;                    // sums over the examples
};

/// The targets of an example, and the rows of the logits that predict them.
struct Answer {
  std::vector<double> rows, right;
};

/// Returns the answers of a batch. There are as many rows of logits as positions, or as targets.
std::vector<Answer> answers_of(const Tensor& targets, Index rows) {
  const Index time = targets.size() / targets.dim(0), skipped = rows == targets.size() ? 1 : 0;
  const auto* right = targets.data<std::int32_t>();
  std::vector<Answer> all(static_cast<std::size_t>(targets.dim(0)));
  Index row = 0;
  for (Index i = 0; i < targets.size(); ++i) {
    const bool is_target = right[i] >= 0;
    if (is_target) {
      Answer& answer = all[static_cast<std::size_t>(i / time)];
      answer.rows.push_back(static_cast<double>(row)), answer.right.push_back(right[i]);
    }
    row += is_target ? 1 : skipped;
  }
  return all;
}

/// Counts targets whose most likely token is correct: in total, by example, and by position in the
/// completion, from 0. Logits are (rows, vocabulary).
void count_positions(const Tensor& logits, const std::vector<Answer>& answers, Tally& part) {
  const std::vector<int> predicted = most_likely_tokens(logits);
  for (const Answer& answer : answers) {
    Count example;
    part.positions.resize(std::max(part.positions.size(), answer.right.size()));
    for (std::size_t i = 0; i < answer.right.size(); ++i) {
      const auto right = static_cast<int>(answer.right[i]);
      const int found = predicted[static_cast<std::size_t>(answer.rows[i])];
      const Count one{1, found == right ? 1 : 0};
      part.positions[i].add(one);
      example.add(one);
      ++part.confusions[{right, found}];
    }
    part.examples.push_back(example);
    part.targets += example.targets;
  }
}

bool same_sizes(const AnswerCurves& a, const AnswerCurves& b) {
  const auto as_long = [](const auto& x, const auto& y) {
    return x.values.size() == y.values.size();
  };
  return std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(), as_long);
}

/// Adds the curves of `part` to `sum`. Throws ValueError if their lengths differ.
void add_curves(AnswerCurves& sum, const AnswerCurves& part) {
  if (part.lines.empty()) return;
  if (sum.lines.empty()) {
    sum = part;
    return;
  }
  if (!same_sizes(sum, part))
    throw ValueError("curves: examples have lines of different sizes, expected the same for all");
  for (std::size_t line = 0; line < part.lines.size(); ++line) {
    std::vector<double>& values = sum.lines[line].values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += part.lines[line].values[i];
  }
}

double measured(const Metric& metric, const Tensor& logits, const Tensor& targets) {
  try {
    return metric.compute(logits, targets);
  } catch (const std::exception& error) {
    throw ValueError("metric '{}' failed: {}", metric.name, error.what());
  }
}

/// Computes metrics and curves of each example. Logits are (rows, vocabulary).
void measure_examples(const std::vector<Example>& examples, const Tensor& logits,
                      const std::vector<Answer>& answers, const Task& task,
                      const std::vector<Metric>& metrics, Tally& part) {
  for (std::size_t number = 0; number < examples.size(); ++number) {
    const Answer& answer = answers[number];
    const Shape count{static_cast<Index>(answer.right.size())};
    const Tensor own = gather_rows(logits, tensor(answer.rows, count, DType::i32));
    for (const Metric& metric : metrics)
      part.metrics[metric.name] += measured(metric, own, tensor(answer.right, count, DType::i32));
    if (task.has_curves()) add_curves(part.curves, task.curves(examples[number], own));
  }
}

/// Computes the loss of a batch whose targets are tokens, and counts right predictions.
void measure_tokens(const TaskModel& model, const Task& task, const std::vector<Example>& examples,
                    const Batch& batch, Pass& pass, const std::vector<Metric>& metrics,
                    Tally& part) {
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;
  const auto [some, targets] = predictions_at_targets(*model.module, batch, pass);
  part.loss = cross_entropy(some, targets, summed).item();
  const Tensor logits = reshape(some, {targets.size(), some.dim(-1)});
  const std::vector<Answer> answers = answers_of(batch.targets, targets.size());
  count_positions(logits, answers, part);
  part.counted = static_cast<double>(part.targets);
  if (!metrics.empty() || task.has_curves())
    measure_examples(examples, logits, answers, task, metrics, part);
}

/// Counts the examples by their lengths; `exact` is empty without completions.
void count_lengths(const Task& task, const std::vector<Example>& examples,
                   const std::vector<bool>& exact, Tally& part) {
  for (std::size_t i = 0; i < part.examples.size(); ++i) {
    const std::vector<int>& tokens = examples[i].tokens;
    const auto all = static_cast<Index>(tokens.size());
    Index source = examples[i].question;
    while (source > 0 && tokens[source - 1] == task.placeholder()) --source;
    const bool is_separated = source > 0 && tokens[source - 1] == task.separator();
    const bool is_ended = all > examples[i].question && tokens[all - 1] == task.end_token();
    const Evaluation::OfLength one{1, !exact.empty() && exact[i] ? 1 : 0, part.examples[i]};
    if (task.has_answers()) part.by_source[source - (is_separated ? 1 : 0)].add(one);
    part.by_target[all - examples[i].question - (is_ended ? 1 : 0)].add(one);
  }
}

/// Evaluates a batch of examples, the first of which has number `first`.
Tally evaluate_part(const TaskModel& model, const Task& task, const std::vector<Example>& examples,
                    Index first, const Loss* own, bool decoding,
                    const std::vector<Metric>& metrics) {
  const Batch batch = model.batch(examples);
  check_batch(batch, static_cast<Index>(examples.size()));
  Pass pass = model.evaluation;
  Tally part;
  if (has_tokens(task, batch)) measure_tokens(model, task, examples, batch, pass, metrics, part);
  if (own) {
    pass.added.clear();
    pass.key.example = static_cast<std::uint32_t>(first);  // key of the loss's random numbers
    part.counted = own->counted(batch);
    part.loss = (*own)(batch, pass).item() * part.counted;
  }
  for (const Pass::AddedLoss& added : pass.added)
    part.metrics[added.name] += added.x.item() * static_cast<double>(examples.size());
  const std::vector<bool> exact = decoding ? find_right(model, examples) : std::vector<bool>();
  part.right = std::count(exact.begin(), exact.end(), true);
  count_lengths(task, examples, exact, part);
  return part;
}

/// Returns the number of bytes of text in all targets.
double bytes_of(const Tally& tally, const Task& task) {
  std::size_t bytes = 0;
  for (const auto& [pair, times] : tally.confusions)
    bytes += static_cast<std::size_t>(times) * task.bytes_of(pair.first).size();
  return static_cast<double>(bytes);
}

void add(Tally& sum, const Tally& part) {
  sum.loss += part.loss;
  sum.counted += part.counted;
  sum.targets += part.targets;
  sum.right += part.right;
  sum.positions.resize(std::max(sum.positions.size(), part.positions.size()));
  for (std::size_t i = 0; i < part.positions.size(); ++i) sum.positions[i].add(part.positions[i]);
  add(sum.by_source, part.by_source);
  add(sum.by_target, part.by_target);
  for (const auto& [pair, times] : part.confusions) sum.confusions[pair] += times;
  for (const auto& [name, value] : part.metrics) sum.metrics[name] += value;
  add_curves(sum.curves, part.curves);
}

/// Returns the smaller of `examples` and the size of the validation set. Throws ValueError for more
/// than 2^24 examples.
Index evaluated_of(const Task& task, Index examples) {
  constexpr Index most = 1 << 24;
  const Index total = std::min(examples, held_out_size(task));
  if (total > most)
    throw ValueError("evaluate: {} validation examples, expected at most {}; pass --eval-examples",
                     total, most);
  return total;
}

}  // namespace

std::vector<int> most_likely_tokens(const Tensor& logits) {
  const Index vocabulary = logits.dim(1);
  std::vector<int> tokens;
  with_floats("evaluate", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < logits.dim(0); ++row) {
      const T* scores = logits.data<T>() + row * vocabulary;
      tokens.push_back(static_cast<int>(std::max_element(scores, scores + vocabulary) - scores));
    }
  });
  return tokens;
}

Index evaluation_batch_size(const Task& task) {
  return std::clamp<Index>(pinned::evaluation_tokens / task.context(), 1,
                           pinned::evaluation_examples);
}

Json to_json(const AnswerCurves& curves) {
  Json json = {{"quantity", curves.quantity}, {"axis", curves.axis}};
  for (const AnswerCurves::Line& line : curves.lines) json["lines"][line.name] = line.values;
  return json;
}

Index count_distinct_held_out(const Task& task, Index examples) {
  std::set<std::vector<int>> different;
  const Index count = evaluated_of(task, examples);
  for (Index number = 0; number < count; ++number)
    different.insert(held_out_example(task, number).tokens);
  return static_cast<Index>(different.size());
}

void check_held_out(const Task& task, Index examples) {
  const Index count = evaluated_of(task, examples);
  for (Index number = 0; number < count; ++number) held_out_example(task, number);
}

Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode,
                    const std::function<void(double fraction)>& on_progress,
                    const std::vector<Metric>& metrics, const std::atomic<bool>* stop) {
  const Index total = evaluated_of(task, examples);
  if (total < 1) throw ValueError("evaluate: {} examples, expected at least 1", total);
  // Batch sizes are fixed and results are added in order, so results don't depend on the number of
  // threads.
  const Index rows = evaluation_batch_size(task);
  const auto own = custom_loss(model, task);
  std::vector<Tally> parts((total + rows - 1) / rows);
  const auto stopped = [stop] { return stop && *stop; };
  parallel_for_with_progress(static_cast<Index>(parts.size()), on_progress, [&](Index i) {
    if (stopped()) return;
    const Pause pause;
    const auto some = held_out_examples(task, i * rows, std::min((i + 1) * rows, total));
    parts[i] = evaluate_part(model, task, some, i * rows, own.get(), decode && task.has_answers(),
                             metrics);
  });
  if (stopped()) return {};
  Tally sum;
  for (const Tally& part : parts) add(sum, part);
  Evaluation result;
  result.loss = without_nan_sign(sum.loss / sum.counted);
  if (own) {
    result.loss_name = own->name;
    result.unit = own->unit;
  }
  constexpr double ln_2 = 0.693147180559945309;
  if (const double bytes = bytes_of(sum, task); bytes > 0 && !own)
    result.bits_per_byte = sum.loss / (ln_2 * bytes);
  result.exact_match = static_cast<double>(sum.right) / static_cast<double>(total);
  result.examples = total;
  for (const auto& [name, value] : sum.metrics)
    result.metrics[name] = without_nan_sign(value / static_cast<double>(total));
  result.curves = std::move(sum.curves);
  for (AnswerCurves::Line& line : result.curves.lines)
    for (double& value : line.values) value = without_nan_sign(value / static_cast<double>(total));
  result.positions = std::move(sum.positions);
  result.by_source = std::move(sum.by_source);
  result.by_target = std::move(sum.by_target);
  result.confusions = std::move(sum.confusions);
  return result;
}

void parallel_for_with_progress(Index n, const std::function<void(double fraction)>& on_progress,
                                const std::function<void(Index)>& work) {
  std::mutex telling;
  Index done = 0;
  parallel_for(n, [&](Index i) {
    work(i);
    if (!on_progress) return;
    const std::lock_guard<std::mutex> one(telling);
    on_progress(static_cast<double>(++done) / static_cast<double>(n));
  });
}

}  // namespace tapehead
