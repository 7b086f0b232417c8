#pragma once
#include "task.hpp"

namespace tapehead {

/// Parses `16`, `1..20`, `10..100..10` (steps of 10) or a comma-separated list of these. Returns
/// the lengths in ascending order. Throws UsageError, which begins with `option`.
std::vector<Index> parse_lengths(const std::string& text, const std::string& option = "--lengths");

/// A task whose examples have several lengths, made of one task per length. Each training example
/// draws its length from its own random numbers, and validation examples take the lengths in turn.
/// Adds a separator if a prompt doesn't show where it ends, and an end token to completions of
/// several tokens that have none, unless placeholders show their length.
class MixedLengths : public Task {
 public:
  using Make = std::function<std::unique_ptr<Task>(Index length)>;

  /// Makes a task for each length. `usual`, the task at its default length, determines the format,
  /// so that the format doesn't depend on the lengths. Throws UsageError if the task has no
  /// completions, or if its vocabulary depends on the length.
  MixedLengths(const Task& usual, const std::vector<Index>& lengths, const Make& make);

  Index vocabulary() const override { return vocabulary_; }
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override;
  Index held_out_size() const override { return held_out_; }
  Example held_out_example(Index number) const override;
  bool has_answers() const override { return true; }
  std::optional<Loss> loss(const TaskModel& model) const override { return longest().loss(model); }
  Index longest_question() const override { return longest_question_; }
  Index longest_answer() const override { return longest_answer_; }
  const Illustration* illustration() const override { return longest().illustration(); }
  int end_token() const override { return end_ >= 0 ? end_ : longest().end_token(); }
  int separator() const override { return separator_ >= 0 ? separator_ : longest().separator(); }
  int placeholder() const override { return longest().placeholder(); }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  std::vector<int> parse_prompt(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;
  std::string answer_format() const override { return longest().answer_format(); }
  std::string data_note() const override;
  std::size_t bytes() const override;

 private:
  const Task& longest() const { return *tasks_.back(); }
  Example marked(Example example) const;
  /// Parses the text between separators and end tokens, and keeps these tokens.
  std::vector<int> parsed(const std::string& text, bool is_prompt) const;

  std::vector<Index> lengths_;
  std::vector<std::unique_ptr<const Task>> tasks_;  // by index in lengths_
  int separator_ = -1, end_ = -1;                   // added tokens; -1: none
  Index vocabulary_ = 0, context_ = 0, held_out_ = 0, longest_question_ = 0, longest_answer_ = 0;
};

}  // namespace tapehead
