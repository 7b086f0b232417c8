#pragma once
#include "../config/options.hpp"
#include "../files/strings.hpp"

namespace tapehead {

using DrawExample = std::function<Example(Random&)>;

/// The definition of a task whose examples are drawn sequences.
struct SequenceRules {
  std::string name;                ///< for errors
  std::vector<std::string> texts;  ///< the tokens as they are written
  /// Draws one example, whether or not it is held out; some of all must be, and some not.
  DrawExample draw;
  Index held_out = 1000;                ///< number of held-out examples
  double held_out_fraction = 1.0 / 16;  ///< of all questions
  /// For training examples of another form, such as those with more targets; empty: `draw`.
  DrawExample draw_training = {};
  /// For held-out examples that aren't drawn; empty: they are.
  std::function<Example(Index number)> held_out_example = {};
  // 0: those of the first held-out example, as all examples have the same.
  Index longest_question = 0, longest_answer = 0;
  Index context = 0;  ///< 0: longest_question + longest_answer - 1
  int end = -1;       ///< the token that closes an answer; -1: none does
  /// Whether a word may consist of several tokens, each of one character.
  bool spelled = true;
  /// What a question is, for people: `3 digits + 3 digits =`; and whether tokens are one. Empty:
  /// any tokens are.
  std::string question = {};
  std::function<bool(const std::vector<int>& tokens)> is_question = {};
  std::string answer_format = {};  ///< as Task says
  /// Describes what is wrong with a word that isn't made of tokens; empty: lists the tokens.
  std::function<std::string(const std::string& word)> describe_unknown = {};
};

/// A task whose examples are drawn at random.
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
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;
  std::string answer_format() const override { return rules_.answer_format; }

 private:
  /// As a user may write it, where tokens are spelled without spaces between them.
  std::string written(const std::vector<int>& tokens) const;
  Example draw(const DrawExample& make, const RandomKey& key, bool held_out) const;

  SequenceRules rules_;
};

/// The first n, at most 36, of 0 to 9 and then a to z.
std::string first_symbols(Index n);
/// Whether a token is one of the first `kinds`.
inline bool is_below(int token, Index kinds) { return token >= 0 && token < kinds; }
/// Whether there are `length` tokens, each below `kinds`.
bool are_below(const std::vector<int>& tokens, Index length, Index kinds);
/// n random tokens below `kinds`.
std::vector<int> random_tokens(Random& random, Index n, Index kinds);

/// Throws UsageError unless there are enough questions for the split, given `positions` free
/// tokens, each of `kinds` kinds. `options` names the options responsible: `--length 7`.
void require_questions(Index positions, Index kinds, const std::string& options);

/// A recipe that begins with the settings by which small models learn sequences fastest: Muon, with
/// RMS norm and without weight decay.
TrainConfig muon_defaults(const std::string& settings);

}  // namespace tapehead
