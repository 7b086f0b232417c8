#include "task.hpp"
#include "../../core/ops.hpp"
#include "../../core/plural.hpp"
#include "../files/number.hpp"
#include "option_limits.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

Batch make_batch(const std::vector<Example>& examples) {
  Index longest = 0;
  for (const Example& example : examples)
    longest = std::max(longest, static_cast<Index>(example.tokens.size()));
  if (longest < 2)
    throw ValueError(
        "batch: {} of at most {}, expected at least one example with at least 2 tokens",
        plural(examples.size(), "example"), plural(longest, "token"));
  const Index time = longest - 1;
  const Shape shape{static_cast<Index>(examples.size()), time};
  Batch batch{zeros(shape, DType::i32), full(shape, -1, DType::i32)};
  Tensor questions = Tensor::empty({shape[0]}, DType::i32);
  auto* question = questions.mutable_data<std::int32_t>();
  auto* input = batch.inputs.mutable_data<std::int32_t>();
  auto* target = batch.targets.mutable_data<std::int32_t>();
  for (const Example& example : examples) {
    check_positions(example);
    const auto& tokens = example.tokens;
    batch.lengths.push_back(std::max<Index>(static_cast<Index>(tokens.size()) - 1, 1));
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      input[i] = tokens[i];
      const bool answer = static_cast<Index>(i) + 1 >= example.question;
      if (answer && example.target_positions.empty()) target[i] = tokens[i + 1];
    }
    for (Index position : example.target_positions) target[position - 1] = tokens[position];
    input += time;
    target += time;
    *question++ = static_cast<std::int32_t>(example.question);
  }
  batch.named["question"] = questions;
  return batch;
}

Batch number_batch(const std::vector<Example>& examples, DType dtype) {
  const auto stacked = [&](std::vector<double> Example::*numbers) {
    std::vector<double> all;
    const std::size_t each = examples.empty() ? 0 : (examples[0].*numbers).size();
    for (const Example& example : examples) {
      const std::vector<double>& row = example.*numbers;
      if (row.size() != each)
        throw ValueError("batch: examples of {} and {}, expected the same size for all",
                         plural(each, "number"), row.size());
      all.insert(all.end(), row.begin(), row.end());
    }
    const Shape shape{static_cast<Index>(examples.size()), static_cast<Index>(each)};
    return all.empty() ? Tensor() : tensor(all, shape, dtype);
  };
  return {stacked(&Example::inputs), stacked(&Example::outputs)};
}

Batch Batch::rows(Index first, Index last) const {
  if (first == 0 && last == inputs.dim(0) && lengths.empty()) return *this;
  const auto of = [&](const Tensor& all) { return all ? slice(all, 0, first, last) : all; };
  Batch some{of(inputs), of(targets)};
  for (const auto& [name, tensor] : named) some.named[name] = of(tensor);
  if (lengths.empty()) return some;
  const Index time = *std::max_element(lengths.begin() + first, lengths.begin() + last);
  some.inputs = slice(some.inputs, 1, 0, time);  // inputs and targets are (rows, time)
  some.targets = slice(some.targets, 1, 0, time);
  return some;
}

void check_batch(const Batch& batch, Index examples) {
  const auto check = [&](const char* what, const std::string& name, const Tensor& tensor) {
    if (tensor.rank() == 0 || tensor.dim(0) != examples)
      throw ValueError("batch: {}{}: shape {}, expected {} along axis 0", what, name,
                       tensor.shape(), plural(examples, "example"));
  };
  if (!batch.inputs) throw ValueError("batch: no inputs");
  check("inputs", "", batch.inputs);
  if (batch.targets) check("targets", "", batch.targets);
  for (const auto& [name, tensor] : batch.named) {
    if (!tensor) throw ValueError("batch: named tensor '{}' is empty", name);
    check("named tensor ", name, tensor);
  }
  if (batch.lengths.empty()) return;
  if (static_cast<Index>(batch.lengths.size()) != examples)
    throw ValueError("batch: {}, expected {} (one per example)",
                     plural(batch.lengths.size(), "length"), examples);
  if (batch.inputs.rank() < 2 || !batch.targets || batch.targets.rank() < 2)
    throw ValueError("batch: lengths need inputs and targets of shape (examples, time)");
  const Index time = std::min(batch.inputs.dim(1), batch.targets.dim(1));
  for (const Index length : batch.lengths)
    if (length < 1 || length > time)
      throw ValueError("batch: a length is {}, expected 1 to {}", length, time);
}

Tensor logits_of(const Module& model, const Batch& batch, Pass& pass) {
  pass.named = &batch.named;
  return model(batch.inputs, pass);
}

Predictions predictions_at_targets(const Module& model, const Batch& batch, Pass& pass) {
  pass.targets = batch.targets;
  Tensor logits = logits_of(model, batch, pass);
  return {std::move(logits), std::exchange(pass.targets, {})};
}

Tensor Loss::operator()(const Batch& rows, Pass& pass) const {
  pass.named = &rows.named;
  const Tensor mean = of(rows, pass);
  if (!mean || mean.size() != 1 || !mean.is_float())
    throw ShapeError("loss '{}' returned {}, expected one number", name,
                     mean ? fmt::format("{} {}", mean.dtype(), mean.shape()) : "no tensor");
  return reshape(mean, {});
}

double Loss::counted(const Batch& rows) const {
  const double counted = count ? count(rows) : static_cast<double>(rows.inputs.dim(0));
  if (!(counted >= 0 && std::isfinite(counted)))
    throw ValueError("loss '{}': count returned {}, expected a number of at least 0", name,
                     counted);
  return counted;
}

Index Task::longest_question() const { return tapehead::held_out_example(*this, 0).question; }

Index Task::longest_answer() const {
  const Example example = tapehead::held_out_example(*this, 0);
  return static_cast<Index>(example.tokens.size()) - example.question;
}

bool has_tokens(const Task& task, const Batch& batch) {
  return task.vocabulary() > 0 && batch.targets && !batch.targets.is_float();
}

std::vector<Example> training_examples(const Task& task, std::uint64_t seed, Index step,
                                       Index count) {
  std::vector<Example> examples;
  for (Index number = 0; number < count; ++number)
    examples.push_back(training_example(task, seed, step, number));
  return examples;
}

std::vector<Example> held_out_examples(const Task& task, Index first, Index end) {
  std::vector<Example> examples;
  end = std::min(end, held_out_size(task));
  for (Index number = first; number < end; ++number)
    examples.push_back(held_out_example(task, number));
  return examples;
}

void check_question(const Task& task, const std::vector<int>& question) {
  if (const std::string objection = task.prompt_error(question); !objection.empty())
    throw ValueError("{}", objection);
}

Index whole_option(const TaskOptions& options, const std::string& name, Index low, Index high) {
  return whole_option(options, name, OptionLimit(low), OptionLimit(high));
}

Index whole_option(const TaskOptions& options, const std::string& name, const OptionLimit& low,
                   const OptionLimit& high) {
  const auto found = options.find(name);
  const std::string text = found == options.end() ? "" : found->second;
  const std::optional<Index> value = read_whole<Index>(text);
  const auto shown = [](const OptionLimit& limit) {
    return limit.source.empty() ? std::to_string(limit.value)
                                : fmt::format("{} ({})", limit.value, limit.source);
  };
  if (!value || *value < low.value || *value > high.value)
    throw UsageError("--{} must be a whole number from {} to {}, not '{}'", name, shown(low),
                     shown(high), text);
  return *value;
}

bool truth_option(const TaskOptions& options, const std::string& name) {
  const std::string& text = options.at(name);
  if (text != "true" && text != "false")
    throw UsageError("--{} must be true or false, not '{}'", name, text);
  return text == "true";
}

bool is_held_out(const int* question, Index length, double fraction) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (Index i = 0; i < length; ++i)
    for (int byte = 0; byte < 4; ++byte) {
      hash ^= static_cast<std::uint32_t>(question[i]) >> 8 * byte & 0xff;
      hash *= 0x100000001b3;
    }
  // The multiplication mixes all tokens into the highest bits of the hash.
  return hash * 0x9e3779b97f4a7c15 < static_cast<std::uint64_t>(fraction * 0x1p64);
}

}  // namespace tapehead
