#pragma once
#include "../../core/random.hpp"
#include "batch.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace tapehead {

/// An example: a sequence of tokens (a prompt and its completion; a text has no prompt), or numbers
/// for a custom model.
struct Example {
  std::vector<int> tokens;
  Index question = 0;  ///< number of prompt tokens; the others are the completion
  /// Positions whose tokens are targets of the loss. Empty: the whole completion. In validation
  /// examples they must include the whole completion, because exact match covers all of it.
  std::vector<Index> target_positions = {};
  std::vector<double> inputs = {}, outputs = {};  ///< for tasks with numbers instead of tokens
};

/// Values at each target of an example, such as the losses of the model and of baselines.
struct AnswerCurves {
  std::string quantity, axis;  ///< labels of the y axis and the x axis (target number, from 0)
  struct Line {
    std::string name;
    std::vector<double> values;  ///< one value per target
  };
  std::vector<Line> lines = {};
};
/// Makes a GPT batch: inputs are tokens[:-1], targets are tokens[1:]. Targets that aren't part of
/// the loss, and padding, are -1. Throws ValueError if no example has two tokens.
Batch make_batch(const std::vector<Example>& examples);
/// Makes a batch of numbers: inputs (examples, n) and targets (examples, m). A tensor is null if
/// the examples have no such numbers. Throws ValueError unless all examples have the same sizes.
Batch number_batch(const std::vector<Example>& examples, DType dtype = DType::f32);

/// The values of a task's options by name.
using TaskOptions = std::map<std::string, std::string>;

/// Returns option `name` as an integer. Throws UsageError, which quotes the given text, unless the
/// value is from `low` to `high`.
Index whole_option(const TaskOptions& options, const std::string& name, Index low, Index high);
/// Returns option `name` as a truth value. Throws UsageError unless it is `true` or `false`.
bool truth_option(const TaskOptions& options, const std::string& name);

/// Returns the generator for training example `number`, which must be below 2^32.
inline Random example_random(std::uint64_t seed, Index step, Index number) {
  return Random(
      {seed, Draw::batch, static_cast<std::uint32_t>(step), 0, static_cast<std::uint32_t>(number)});
}

/// Returns the generator for a validation example. Its numbers are independent of all training
/// examples.
inline Random example_random(Index number) {
  return Random({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)});
}

/// Returns whether a prompt belongs to the validation (held-out) set, which gets `fraction` of all
/// prompts. The choice depends only on a hash of the tokens (FNV-1a, 64 bits), so it is the same on
/// every machine. A larger fraction includes the prompts of a smaller one.
bool is_held_out(const int* question, Index length, double fraction = 1.0 / 16);

/// Smallest number of different prompts of which some are held out.
constexpr Index fewest_prompts = 256;

/// The use of the --data files: split into training and validation examples, or all for validation,
/// to evaluate a trained model on other files.
enum class HeldOut { split, all };

class Illustration;
class TaskModel;

/// A source of training and validation examples. A task has no mutable state: examples depend only
/// on the seed and their number, so any step can be replayed.
class Task {
 public:
  virtual ~Task() = default;

  /// Name in the registry, used in messages; empty if the task isn't registered.
  std::string name = {};

  virtual Index vocabulary() const = 0;  ///< number of tokens; 0 if examples are numbers
  virtual Index context() const = 0;     ///< longest input of a GPT, in tokens
  /// Returns training example `number` of a step, which must not be a validation example.
  virtual Example training_example(std::uint64_t seed, Index step, Index number) const = 0;
  /// Returns the number of validation examples.
  virtual Index held_out_size() const = 0;
  /// Returns validation example `number`.
  virtual Example held_out_example(Index number) const = 0;
  /// Returns whether the task has prompts and completions, so that exact match is meaningful. False
  /// for text.
  virtual bool has_answers() const = 0;
  /// Returns the custom loss of this task; none for cross-entropy. Called once per model; the model
  /// outlives the returned loss.
  virtual std::optional<Loss> loss(const TaskModel& /*model*/) const { return {}; }
  // Lengths for models that read the prompt separately. By default, the lengths in the first
  // validation example; override them if examples differ in length.
  virtual Index longest_question() const;
  virtual Index longest_answer() const;
  /// Returns the object that prints examples as pictures if their tokens are hard to read, as for
  /// images; otherwise null.
  virtual const Illustration* illustration() const { return nullptr; }
  /// Returns the token that ends a completion; -1 if the prompt determines the completion's length.
  virtual int end_token() const { return -1; }
  /// Returns the token that ends every prompt; -1: none.
  virtual int separator() const { return -1; }
  /// Returns the token that fills the end of a prompt, once for each token of the longest possible
  /// completion; an encoder predicts the completion there. -1: none.
  virtual int placeholder() const { return -1; }
  /// Returns whether the tokens of a prompt show where it ends. If only their number shows it, a
  /// gpt trained on one length can't complete prompts of other lengths.
  virtual bool shows_prompt_end() const { return true; }

  /// Formats tokens as text.
  virtual std::string show(const std::vector<int>& tokens) const = 0;
  /// Parses text in the format of `show`. Throws ValueError that names the first unknown token.
  virtual std::vector<int> parse(const std::string& text) const = 0;
  /// Parses a prompt, and adds a separator after it if the task has one. Throws as `parse` does.
  virtual std::vector<int> parse_prompt(const std::string& text) const { return parse(text); }
  /// Returns the bytes of a text token; empty if the task isn't a text.
  virtual std::string bytes_of(int /*token*/) const { return {}; }
  /// Returns why these tokens aren't a valid prompt, and describes a valid one; empty if they are
  /// valid.
  virtual std::string prompt_error(const std::vector<int>& /*question*/) const { return {}; }
  /// Returns a note about an unusual completion format, such as `from the last digit`; usually
  /// empty.
  virtual std::string answer_format() const { return {}; }
  /// Returns whether the task has curves. They are computed from the logits (n, vocabulary) of the
  /// n targets of a validation example, and have the same lines for every example.
  virtual bool has_curves() const { return false; }
  virtual AnswerCurves curves(const Example&, const Tensor& /*logits*/) const { return {}; }
  /// Returns why there are too few different prompts to keep some for validation only, as in
  /// `--length 1 gives only 2 sequences`; usually empty. Training then needs other options, or
  /// --lengths, which mixes several tasks.
  virtual std::string few_prompts() const { return {}; }
  /// Returns a note on the data, such as the number of duplicates; usually empty.
  virtual std::string data_note() const { return {}; }
  /// Returns the number of bytes of memory that the data takes.
  virtual std::size_t bytes() const { return 0; }
  /// Returns options to record in the run, so that the task can later be made without its data.
  virtual TaskOptions recorded_options() const { return {}; }
};

/// Throws ValueError unless each tensor of the batch, and Batch::lengths, have `examples` entries.
void check_batch(const Batch& batch, Index examples);
/// Returns whether the targets are tokens, so that the model's output is logits.
bool has_tokens(const Task& task, const Batch& batch);

// Checked access to the examples of a task, which may be custom code. These functions throw a
// ValueError that names the task, the example and the invalid value.
Example training_example(const Task& task, std::uint64_t seed, Index step, Index number);
Example held_out_example(const Task& task, Index number);
/// Returns the number of validation examples. Throws ValueError unless it is from 0 to 2^31 - 1.
Index held_out_size(const Task& task);
/// Throws ValueError unless vocabulary() and context() return valid model sizes.
void check_sizes(const Task& task);
/// Throws ValueError unless the prompt length and the target positions are within the tokens.
void check_positions(const Example& example);

/// Returns the first `count` examples of a step.
std::vector<Example> training_examples(const Task& task, std::uint64_t seed, Index step,
                                       Index count);
/// Returns validation examples [first, end), or fewer at the end of the validation set.
std::vector<Example> held_out_examples(const Task& task, Index first, Index end);

/// Throws ValueError if the task rejects this prompt.
void check_question(const Task& task, const std::vector<int>& question);

}  // namespace tapehead
