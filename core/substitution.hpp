#pragma once
#include "runtime/nested.hpp"
#include "tensor.hpp"

#include <unordered_map>

namespace tapehead {

struct Parameter;

/// A scope in which parameters have other values on this thread.
class Substitution : public Nested<Substitution> {
 public:
  using Values = std::unordered_map<const Parameter*, Tensor>;

  /// Adds `values` to the replacements of the enclosing Substitution. For parameters that are in
  /// both, `values` are used.
  explicit Substitution(Values values) : values_(std::move(values)) {
    if (outer()) values_.insert(outer()->values_.begin(), outer()->values_.end());
  }

  /// Returns all current replacements, so that backward can apply them again.
  static Values current() { return innermost() ? innermost()->values_ : Values(); }
  /// Returns the replacement of a parameter, or null if it has none.
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
