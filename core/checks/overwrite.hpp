#pragma once
#include "../trace.hpp"

#include <algorithm>

namespace tapehead {

/// Overwrites the elements of a tensor in place, even if other tensors share them. Both tensors
/// must have the same shape and type. Use it only to measure the effect of a perturbation;
/// otherwise the elements of a tensor must never change.
inline void overwrite(const Tensor& to, const Tensor& from) {
  with_elements(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::copy_n(from.data<T>(), to.size(), const_cast<T*>(to.data<T>()));
  });
}

/// A listener that overwrites the result of one op, the one after `earlier` other ops.
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
