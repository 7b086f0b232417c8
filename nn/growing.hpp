#pragma once
#include "../core/ops.hpp"

namespace tapehead {

/// A tensor (batch, time, ...) to which rows are added along its axis of time, as to a cache. In a
/// batch of one, new rows are written behind the others, in memory that doubles when it is full;
/// `concat` would copy all of them each time.
class Growing {
 public:
  Growing(Tensor x = {}) : memory_(std::move(x)), time_(memory_ ? memory_.dim(1) : 0) {}

  Index time() const { return time_; }
  Tensor all() const;  ///< (batch, time, ...); null before the first rows
  /// Adds rows, (batch, more, ...), and returns all. What `all` gave before stays as it was.
  Tensor add(const Tensor& rows);

 private:
  Tensor memory_;  // (batch, capacity, ...)
  Index time_ = 0;
};

}  // namespace tapehead
