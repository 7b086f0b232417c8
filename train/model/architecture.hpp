#pragma once
// The kinds of model, and what each makes of a task's examples.
#include "../config/registry.hpp"

namespace tapehead {

/// What `--arch` takes: gpt, encoder, encoder-decoder.
std::vector<ArchitecturePart> architecture_parts();

/// Generates answers token by token, those of several questions at once.
class Decoding {
 public:
  virtual ~Decoding() = default;
  /// Logits of the next token of each row, (rows, vocabulary). `chosen` is the token chosen for
  /// each row since the last call; empty at the first call. No tensor once answers have ended.
  virtual Tensor next(const std::vector<int>& chosen) = 0;
};
/// decoding.next(chosen). Throws ShapeError unless it has a row for each question.
Tensor next_logits(Decoding& decoding, const std::vector<int>& chosen, Index questions);

/// A model, as a task trains it. Those that come with Tapehead are
///   gpt              reads a question and continues it with its answer; its input is tokens[:-1],
///                    its targets are tokens[1:]. Once its context is full, it drops the older half
///                    and reads the rest again.
///   encoder          reads a question and predicts its whole answer at once: a token at each of
///                    the question's positions, or, with the option `pooled`, one for all of it.
///   encoder-decoder  reads a question, padded with -1 to the longest, and generates its answer
///                    after the question's last token, with cross-attention to the question.
class TaskModel {
 public:
  virtual ~TaskModel() = default;

  const std::string arch;
  const ModelOptions options;
  const std::unique_ptr<Module> module;

  /// The module's inputs and targets for some examples. Throws ValueError for examples whose
  /// answers a model of this kind can't give.
  virtual Batch batch(const std::vector<Example>& examples) const = 0;
  /// What it is to make small, where that is neither cross-entropy nor the task's.
  virtual std::optional<Loss> loss() const { return {}; }
  /// Begins to answer questions, all of one length and none empty. Throws ValueError for longer
  /// ones than the model reads; a gpt reads the end of any. Null, as by default: a model of this
  /// kind doesn't answer.
  virtual std::unique_ptr<Decoding> decode(const std::vector<std::vector<int>>& questions) const;
  /// The positions that blocks work on, of an encoder-decoder's answer.
  virtual Index block_positions() const { return options.context; }
  /// What they are called, where the model makes them of more than one token each; else empty.
  virtual std::vector<std::string> position_names() const { return {}; }
  /// The ids that it may read: [first, end).
  virtual std::pair<Index, Index> input_id_range() const { return {0, options.vocabulary}; }
  /// The longest question that is read as a whole.
  Index longest_question() const { return options.source > 0 ? options.source : options.context; }

 protected:
  TaskModel(std::string arch_, ModelOptions options_, std::unique_ptr<Module> module_)
      : arch(std::move(arch_)), options(std::move(options_)), module(std::move(module_)) {}
};

/// A model that reads a question and predicts its whole answer at once: see TaskModel.
struct EncoderModel : TaskModel {
  explicit EncoderModel(const ModelOptions& options);
  /// Another module of the same kind: ids (examples, time) -> logits (examples, time, vocabulary),
  /// or pooled (examples, vocabulary).
  EncoderModel(const char* arch, const ModelOptions& options, std::unique_ptr<Module> module)
      : TaskModel(arch, options, std::move(module)) {}
  Batch batch(const std::vector<Example>& examples) const override;
  std::unique_ptr<Decoding> decode(const std::vector<std::vector<int>>& questions) const override;
};

/// What training of a model on a task makes small: the model's own, or the task's; null: the
/// cross-entropy of logits and targets.
std::shared_ptr<const Loss> custom_loss(const TaskModel& model, const Task& task);

/// A model of one of these kinds. Throws UsageError for an unknown name.
std::unique_ptr<TaskModel> make_model(const std::string& arch, const ModelOptions& options);
/// The model that a configuration asks for, with its first weights. An encoder is pooled where the
/// task's answers are single tokens, and its questions are longer.
std::unique_ptr<TaskModel> make_model(const TrainConfig& config, const Task& task,
                                      const Registry& registry);
/// The same without weights: to be counted, or to be given those of a checkpoint.
std::unique_ptr<TaskModel> make_meta_model(const TrainConfig& config, const Task& task,
                                           const Registry& registry);

/// A batch of so many examples, all the same and as long as any that the task gives the model.
Batch longest_batch(const TaskModel& model, const Task& task, Index examples = 1);

}  // namespace tapehead
