#pragma once
// Model architectures, and how each turns examples into batches.
#include "../config/registry.hpp"

namespace tapehead {

/// Returns the built-in architectures for --arch: gpt, encoder, encoder-decoder.
std::vector<ArchitecturePart> architecture_parts();

/// The decoding of several prompts at once, token by token.
class Decoding {
 public:
  virtual ~Decoding() = default;
  /// Returns the logits of each row's next token, (rows, vocabulary). `chosen` has the token chosen
  /// for each row after the last call; it is empty at the first call. Returns a null tensor if no
  /// token follows.
  virtual Tensor next(const std::vector<int>& chosen) = 0;
};
/// Returns decoding.next(chosen). Throws ShapeError unless the result has a row per prompt.
Tensor next_logits(Decoding& decoding, const std::vector<int>& chosen, Index questions);

/// A model together with its batch and decoding logic. The built-in architectures are
///   gpt              continues a prompt; its inputs are tokens[:-1], its targets tokens[1:]. When
///                    its context is full, it drops the older half and reads the rest again.
///   encoder          predicts a whole completion at once: a token at each position of the prompt,
///                    at each placeholder if the task has them, or one token if `pooled` is set.
///   encoder-decoder  reads a prompt, padded with -1 to the longest, and generates the completion
///                    after the prompt's last token, with cross-attention to the prompt.
class TaskModel {
 public:
  virtual ~TaskModel() = default;

  const std::string arch;
  const ModelOptions options;
  const std::unique_ptr<Module> module;
  /// The pass that evaluations, decoding and attention maps copy. Its hook, if any, runs on several
  /// threads.
  Pass evaluation = Pass::evaluation();

  /// Makes the module's inputs and targets. Throws ValueError for examples with completions that
  /// this architecture can't produce.
  virtual Batch batch(const std::vector<Example>& examples) const = 0;
  /// Returns the model's custom loss; none to use the task's loss or cross-entropy.
  virtual std::optional<Loss> loss() const { return {}; }
  /// Starts decoding prompts of equal length, at least 1. Throws ValueError for prompts longer than
  /// the model's input, but a gpt reads only the end of a long prompt. Returns null (the default)
  /// if the architecture can't generate.
  virtual std::unique_ptr<Decoding> decode(const std::vector<std::vector<int>>& questions) const;
  /// Returns the number of positions that blocks process; for an encoder-decoder, in the decoder.
  virtual Index block_positions() const { return options.context; }
  /// Returns the names of positions if they aren't single tokens, such as image patches; otherwise
  /// empty.
  virtual std::vector<std::string> position_names() const { return {}; }
  /// Returns the range of valid input ids: [first, end).
  virtual std::pair<Index, Index> input_id_range() const { return {0, options.vocabulary}; }
  /// Returns the length of the longest prompt that the model can read without cutting it off.
  Index longest_question() const { return options.source > 0 ? options.source : options.context; }

 protected:
  TaskModel(std::string arch_, ModelOptions options_, std::unique_ptr<Module> module_)
      : arch(std::move(arch_)), options(std::move(options_)), module(std::move(module_)) {}
};

/// A model that reads a prompt and predicts its whole completion at once. See TaskModel.
struct EncoderModel : TaskModel {
  /// `placeholder` is Task::placeholder.
  explicit EncoderModel(const ModelOptions& options, int placeholder = -1);
  /// Wraps another module with the same interface: ids (examples, time) -> logits (examples, time,
  /// vocabulary), or pooled (examples, vocabulary).
  EncoderModel(const char* arch, const ModelOptions& options, std::unique_ptr<Module> module)
      : TaskModel(arch, options, std::move(module)) {}
  Batch batch(const std::vector<Example>& examples) const override;
  std::unique_ptr<Decoding> decode(const std::vector<std::vector<int>>& questions) const override;

 private:
  /// Returns the position at which the completion begins.
  Index first_output(const std::vector<int>& question) const;

  int placeholder_ = -1;
};

/// Returns the custom loss of the model or else of the task; null for cross-entropy.
std::shared_ptr<const Loss> custom_loss(const TaskModel& model, const Task& task);

/// Makes a model of a built-in architecture. Throws UsageError for an unknown name.
std::unique_ptr<TaskModel> make_model(const std::string& arch, const ModelOptions& options);
/// Makes the model of a configuration, with initial weights. An encoder is pooled if completions
/// are one token, prompts are longer, and there are no placeholders.
std::unique_ptr<TaskModel> make_model(const TrainConfig& config, const Task& task,
                                      const Registry& registry);
/// Makes the model of a configuration with meta tensors, to count parameters or to load a
/// checkpoint.
std::unique_ptr<TaskModel> make_meta_model(const TrainConfig& config, const Task& task,
                                           const Registry& registry);

/// Returns a batch of identical examples, as long as the task's longest example.
Batch longest_batch(const TaskModel& model, const Task& task, Index examples = 1);

}  // namespace tapehead
