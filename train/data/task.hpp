#pragma once
#include "../../core/random.hpp"
#include "batch.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace tapehead {

/// One sequence: a question and its answer. A text has no question and is all answer. Or numbers,
/// of which a model of a program's own makes what it reads.
struct Example {
  std::vector<int> tokens;
  Index question = 0;  ///< number of tokens that are given; the others are to be predicted
  /// Positions whose tokens are targets of the loss, where the others can't be predicted; empty:
  /// all of the answer's. In held-out examples all of the answer's are among them, as exact match
  /// covers the whole answer.
  std::vector<Index> target_positions = {};
  std::vector<double> inputs = {}, outputs = {};  ///< numbers, in the place of tokens
};

/// What is measured at each target of an example, of the model and of what it is compared with.
struct AnswerCurves {
  std::string quantity, axis;  ///< what the values are, and what the targets count, from 0 on
  struct Line {
    std::string name;
    std::vector<double> values;  ///< one a target
  };
  std::vector<Line> lines = {};
};
/// Examples as a batch for a GPT: inputs tokens[:-1], targets tokens[1:], and -1 where there is no
/// target or a shorter sequence has ended. Throws ValueError if no example has two tokens.
Batch make_batch(const std::vector<Example>& examples);
/// Examples of numbers as a batch: inputs (examples, n) and targets (examples, m), no tensor where
/// there are none. Throws ValueError unless all have as many.
Batch number_batch(const std::vector<Example>& examples, DType dtype = DType::f32);

/// Values of a task's options, by name.
using TaskOptions = std::map<std::string, std::string>;

/// Option `name` as a whole number from low to high. Throws UsageError that names it as the user
/// wrote it.
Index whole_option(const TaskOptions& options, const std::string& name, Index low, Index high);

/// Whether a question belongs to the held-out examples: a fraction of all questions does, one in
/// sixteen by default, chosen by a hash of the tokens alone (FNV-1a, 64 bits), so that the split is
/// the same everywhere and forever. What a smaller fraction holds out, a larger one does too.
bool is_held_out(const int* question, Index length, double fraction = 1.0 / 16);

/// What a task holds out of the files of --data: a part, which training leaves, or all, of files
/// that a model is measured on and wasn't trained on.
enum class HeldOut { split, all };

class Illustration;
class TaskModel;

/// Something to learn. A task has no mutable state: its examples are functions of the seed and of
/// their number, so that any step can be replayed.
class Task {
 public:
  virtual ~Task() = default;

  /// Its name in the registry, for messages; empty: it was made without one.
  std::string name = {};

  virtual Index vocabulary() const = 0;  ///< number of tokens; 0: its examples are numbers
  virtual Index context() const = 0;     ///< longest sequence that a GPT reads
  /// Training example `number` of a step; never one that is held out.
  virtual Example training_example(std::uint64_t seed, Index step, Index number) const = 0;
  virtual Index held_out_size() const = 0;
  virtual Example held_out_example(Index number) const = 0;
  /// Whether exact match of the answer is meaningful: not for a text.
  virtual bool has_answers() const = 0;
  /// What a model of it is to make small, where that isn't cross-entropy. It is asked once, for a
  /// model that outlives what is returned.
  virtual std::optional<Loss> loss(const TaskModel& /*model*/) const { return {}; }
  // For models that read the question apart from the answer; those of the first held-out example,
  // unless a task whose examples differ in length overrides them.
  virtual Index longest_question() const;
  virtual Index longest_answer() const;
  /// How the command line draws its examples, whose tokens say little as text; null: it doesn't.
  virtual const Illustration* illustration() const { return nullptr; }
  /// The token that closes an answer; -1 where the question determines how long answers are.
  virtual int end_token() const { return -1; }

  virtual std::string show(const std::vector<int>& tokens) const = 0;
  /// The tokens of a text in the form that `show` writes. Throws ValueError that names the first
  /// unknown one.
  virtual std::vector<int> parse(const std::string& text) const = 0;
  /// The bytes that a token stands for, where tokens are the parts of a text; else none.
  virtual std::string bytes_of(int /*token*/) const { return {}; }
  /// Why the tokens are not a question of this task, and what would be one; empty if they are, as
  /// is anything that a text can go on from.
  virtual std::string prompt_error(const std::vector<int>& /*question*/) const { return {}; }
  /// How answers are written, where that is not the usual way: `from the last digit`; else empty.
  virtual std::string answer_format() const { return {}; }
  /// Whether it has curves: those of a held-out example, given the logits (n, vocabulary) of its n
  /// targets, after the right tokens; the same lines for every example.
  virtual bool has_curves() const { return false; }
  virtual AnswerCurves curves(const Example&, const Tensor& /*logits*/) const { return {}; }
  /// The memory that is taken by what it has read.
  virtual std::size_t bytes() const { return 0; }
  /// Options that a run records besides those given, so that it can be used without its data.
  virtual TaskOptions recorded_options() const { return {}; }
};

/// Throws ValueError unless a batch has so many examples in each of its tensors and its lengths.
void check_batch(const Batch& batch, Index examples);
/// Whether a batch's targets are tokens, so that the model's output is their logits.
bool has_tokens(const Task& task, const Batch& batch);

// The examples of a task, checked: a program's own task may return anything. They throw ValueError
// that names the task, the example and the value which a model can't read.
Example training_example(const Task& task, std::uint64_t seed, Index step, Index number);
Example held_out_example(const Task& task, Index number);
/// The number of held-out examples. Throws ValueError unless it is from 0 to 2^31 - 1.
Index held_out_size(const Task& task);
/// Throws ValueError unless the vocabulary and the context are sizes that a model can have.
void check_sizes(const Task& task);
/// Throws ValueError unless `question` and `asked` are within the tokens.
void check_positions(const Example& example);

/// The first `count` of a step.
std::vector<Example> training_examples(const Task& task, std::uint64_t seed, Index step,
                                       Index count);
/// Those from number `first` to `end` - 1, as far as there are so many.
std::vector<Example> held_out_examples(const Task& task, Index first, Index end);

/// Throws ValueError with the task's objection to a question, if it has one.
void check_question(const Task& task, const std::vector<int>& question);

}  // namespace tapehead
