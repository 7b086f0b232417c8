#pragma once
#include "runtime/nested.hpp"
#include "tensor.hpp"

#include <unordered_map>

namespace tapehead {

struct Parameter;

/// While it lives, parameters stand for other tensors on this thread.
class Substitution : public Nested<Substitution> {
 public:
  using Values = std::unordered_map<const Parameter*, Tensor>;

  /// What is substituted already and isn't in `values` stays so.
  explicit Substitution(Values values) : values_(std::move(values)) {
    if (outer()) values_.insert(outer()->values_.begin(), outer()->values_.end());
  }

  /// What is substituted now, to be substituted again in backward.
  static Values current() { return innermost() ? innermost()->values_ : Values(); }
  /// What a parameter stands for; null: itself.
  static const Tensor* of(const Parameter& parameter) {
    return innermost() ? innermost()->find(parameter) : nullptr;
  }

 private:
  const Tensor* find(const Parameter& parameter) const {
    const auto found = values_.find(&parameter);
    return found == values_.end() ? nullptr : &found->second;
  }

  Values values_;
};

}  // namespace tapehead
