#pragma once
// The kinds of model, and what each makes of a task's examples.
#include "../config/registry.hpp"

namespace tapehead {

/// What `--arch` takes: gpt, encoder, encoder-decoder.
const std::vector<std::string>& architecture_names();

/// Answers said symbol by symbol, those of several questions at once.
class Decoding {
 public:
  virtual ~Decoding() = default;
  /// Logits of the symbol that comes next in each row, (rows, symbols). `said` is what has come
  /// since the last call, one symbol a row; nothing at the first. No tensor where answers have
  /// ended.
  virtual Tensor next(const std::vector<int>& said) = 0;
};

/// A model of one of the kinds:
///   gpt              reads a question and goes on with its answer; its input is tokens[:-1], its
///                    targets are tokens[1:]. Once its context is full, the older half of it is
///                    forgotten and the rest is read again.
///   encoder          reads a question and says all of its answer at once: a symbol in the place of
///                    each of the question's, or, where the options say `pooled`, one for the
///                    whole.
///   encoder-decoder  reads a question, padded with -1 to the longest, and writes its answer after
///   the
///                    question's last symbol, looking across at the question.
class TaskModel {
 public:
  virtual ~TaskModel() = default;

  const std::string arch;
  const ModelOptions options;
  const std::unique_ptr<Module> module;

  /// What the module sees of examples, and should say. Throws ValueError for examples whose answers
  /// a model of this kind can't give.
  virtual Batch batch(const std::vector<Example>& examples) const = 0;
  /// Begins to answer questions of one length, which must not be empty. Throws ValueError for
  /// longer ones than the model reads; a gpt reads the end of any.
  virtual std::unique_ptr<Decoding> decode(
      const std::vector<std::vector<int>>& questions) const = 0;
  /// The longest question that is read as a whole.
  Index longest_question() const { return options.source > 0 ? options.source : options.context; }

 protected:
  TaskModel(std::string arch_, ModelOptions options_, std::unique_ptr<Module> module_)
      : arch(std::move(arch_)), options(std::move(options_)), module(std::move(module_)) {}
};

/// Throws UsageError for an unknown name, and what the model's constructor throws.
std::unique_ptr<TaskModel> make_model(const std::string& arch, const ModelOptions& options);
/// The model that a configuration asks for, with its first weights. An encoder is pooled where the
/// task's answers are of one symbol, and its questions are longer.
std::unique_ptr<TaskModel> make_model(const TrainConfig& config, const Task& task,
                                      const Registry& registry);

}  // namespace tapehead
