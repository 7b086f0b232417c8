#pragma once
#include "../tasks/task.hpp"

#include <algorithm>
#include <cstdint>

namespace tapehead {

/// A text in sequence, of which a model reads a window at a time. `Text` is a FileTask with a
/// vocabulary, and fills the tokens, of which those before `training` are for training.
template <class Text>
class Windows : public Text {
 public:
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    this->require_data();
    Random random({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    const Index first = random.below(training_ - context_);
    return {window(first, first + context_ + 1), 0};
  }
  /// Windows overlap by one token, so that each token but the very first is a target once.
  Index held_out_size() const override {
    this->require_data();
    return (size() - training_ - 1 + context_ - 1) / context_;
  }
  Example held_out_example(Index number) const override {
    this->require_data();
    const Index first = training_ + number * context_;
    return {window(first, std::min(first + context_ + 1, size())), 0};
  }
  std::size_t bytes() const override { return tokens_.capacity() * sizeof(Token); }

 protected:
  using Token = std::uint16_t;
  static constexpr Index most_tokens = 1 << 16;

  template <class... Args>
  explicit Windows(const TaskOptions& options, Args&&... args)
      : Text(std::forward<Args>(args)...), context_(whole_option(options, "context", 1, 65536)) {}

  Index size() const { return static_cast<Index>(tokens_.size()); }

  const Index context_;
  std::vector<Token> tokens_;
  Index training_ = 0;

 private:
  std::vector<int> window(Index first, Index end) const {
    return {tokens_.begin() + first, tokens_.begin() + end};
  }
};

}  // namespace tapehead
