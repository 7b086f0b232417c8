#pragma once
#include "../config/options.hpp"
#include "../files/strings.hpp"

namespace tapehead {

/// A function that draws an example.
using DrawExample = std::function<Example(Random&)>;

/// The definition of a task with randomly drawn sequences.
struct SequenceRules {
  std::string name;                ///< name of the task in errors
  std::vector<std::string> texts;  ///< texts of the tokens
  /// Draws an example. is_held_out decides whether it is for training or validation, so both must
  /// occur.
  DrawExample draw;
  Index held_out = 1000;                ///< number of validation examples
  double held_out_fraction = 1.0 / 16;  ///< fraction of all prompts
  /// Draws training examples in another format, such as with more targets. Empty: `draw` is used.
  DrawExample draw_training = {};
  /// Returns validation examples. Empty: they are drawn.
  std::function<Example(Index number)> held_out_example = {};
  // Lengths in tokens. 0: as in the first validation example, if all have the same lengths.
  Index longest_question = 0, longest_answer = 0;
  Index context = 0;  ///< longest input; 0: longest_question + longest_answer - 1
  int end = -1;       ///< token that ends a completion; -1: none
  /// True if tokens are single characters, which may be written without spaces.
  bool spelled = true;
  /// Description of a valid prompt for users, `3 digits + 3 digits =`, and a check of one. Empty:
  /// any tokens are valid.
  std::string question = {};
  std::function<bool(const std::vector<int>& tokens)> is_question = {};
  std::string answer_format = {};  ///< see Task::answer_format
  bool shows_prompt_end = true;    ///< see Task::shows_prompt_end
  /// See Task::few_prompts. If it isn't empty, training and validation draw from the same prompts.
  std::string few_prompts = {};
  /// Describes an unknown word. Empty: lists the tokens.
  std::function<std::string(const std::string& word)> describe_unknown = {};
};

/// A task with randomly drawn examples.
class Sequences : public Task {
 public:
  explicit Sequences(SequenceRules rules);

  Index vocabulary() const override { return static_cast<Index>(rules_.texts.size()); }
  Index context() const override { return rules_.context; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override;
  Index held_out_size() const override { return rules_.held_out; }
  Example held_out_example(Index number) const override;
  bool has_answers() const override { return true; }
  Index longest_question() const override { return rules_.longest_question; }
  Index longest_answer() const override { return rules_.longest_answer; }
  int end_token() const override { return rules_.end; }
  bool shows_prompt_end() const override { return rules_.shows_prompt_end; }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;
  std::string answer_format() const override { return rules_.answer_format; }
  std::string few_prompts() const override { return rules_.few_prompts; }

 private:
  /// Writes tokens as users do: without spaces if each is one character.
  std::string written(const std::vector<int>& tokens) const;
  Example draw(const DrawExample& make, const RandomKey& key, bool held_out) const;

  SequenceRules rules_;
};

/// Returns the first n (at most 36) of 0 to 9, a to z.
std::string first_symbols(Index n);
/// Returns whether a token is one of the first `kinds`.
inline bool is_below(int token, Index kinds) { return token >= 0 && token < kinds; }
/// Returns whether there are `length` tokens, each below `kinds`.
bool are_below(const std::vector<int>& tokens, Index length, Index kinds);
/// Returns n random tokens below `kinds`.
std::vector<int> random_tokens(Random& random, Index n, Index kinds);

/// Returns the text for SequenceRules::few_prompts, given `positions` free tokens with `kinds`
/// values each; empty if there are enough prompts. `options` names the responsible options:
/// `--length 7`.
std::string few_prompts(Index positions, Index kinds, const std::string& options);

/// Returns a default configuration for sequence tasks: `settings` on top of the options that train
/// small models fastest (Muon, RMS norm, no weight decay).
TrainConfig muon_defaults(const std::string& settings);

}  // namespace tapehead
