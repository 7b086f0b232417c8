#pragma once
#include "../trace.hpp"

#include <algorithm>

namespace tapehead {

/// Writes the elements of one tensor over those of another, whoever else holds them; the two have
/// the same shape and type. Only for a run that tries out what a change would do: elsewhere a
/// tensor's elements never change.
inline void overwrite(const Tensor& to, const Tensor& from) {
  with_elements(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::copy_n(from.data<T>(), to.size(), const_cast<T*>(to.data<T>()));
  });
}

/// Gives other elements to the result of one op while it listens: the op that is computed after
/// `earlier` others.
class ReplacedResult : public TapeListener {
 public:
  ReplacedResult(int earlier, Tensor moved) : earlier_(earlier), moved_(std::move(moved)) {}

 private:
  void computed(const OpCall&, const Tensor& y, const std::vector<Tensor>&) override {
    if (earlier_-- == 0) overwrite(y, moved_);
  }
  int earlier_;
  Tensor moved_;
};

}  // namespace tapehead
