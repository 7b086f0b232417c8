#pragma once
#include "../../core/plural.hpp"
#include "../data/task.hpp"
#include "id_file.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tapehead {

/// A long text that a model reads in windows. `Text` is a FileTask with a vocabulary. The subclass
/// sets `tokens_`, of which the first `training_` are for training, or opens files of ids. With
/// HeldOut::all, none are for training.
template <class Text>
class Windows : public Text {
 public:
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    this->require_data();
    Random random = example_random(seed, step, number);
    const Index first = drawn(random, training_ - context_);
    return {window(first, first + context_ + 1), 0};
  }
  /// Returns the number of windows. They overlap by one token, so each token except the first is a
  /// target once.
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
  Windows(const TaskOptions& options, HeldOut held_out, Args&&... args)
      : Text(std::forward<Args>(args)...),
        context_(whole_option(options, "context", 1, 65536)),
        all_held_out_(held_out == HeldOut::all) {}

  Index size() const { return ids_ ? ids_->size() : static_cast<Index>(tokens_.size()); }
  /// Opens the ids of --data and, if given, of --held-out.
  void open(const TaskOptions& options) {
    ids_.emplace(options.at("data"), options.at("held-out"));
    training_ = all_held_out_ ? 0 : ids_->training();
  }
  void check_sizes() const {
    if (all_held_out_ && size() < 2)
      throw FileError("{}: {}, expected at least 2", this->path_, plural(size(), "token"));
    if (all_held_out_) return;
    if (training_ <= context_ || size() < training_ + 2)
      throw FileError(
          "{}: {} for training and {} for validation, but --context {} needs at least {} and 2",
          this->path_, plural(training_, "token"), size() - training_, context_, context_ + 1);
  }

  const Index context_;
  const bool all_held_out_;
  std::vector<Token> tokens_;
  std::optional<IdFiles> ids_;  // used instead of tokens_
  Index training_ = 0;

 private:
  /// Returns a uniform number below n. One draw covers 2^32 numbers, but files may have more
  /// tokens.
  static Index drawn(Random& random, Index n) {
    constexpr Index most = Index{1} << 32;
    if (n <= most) return random.below(n);
    Index at = n;
    while (at >= n) {
      at = random.below((n - 1) / most + 1) * most;
      at += random.below(most);
    }
    return at;
  }
  std::vector<int> window(Index first, Index end) const {
    if (ids_) return ids_->read(first, end, this->vocabulary());
    return {tokens_.begin() + first, tokens_.begin() + end};
  }
};

}  // namespace tapehead
