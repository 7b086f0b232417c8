#include "outline.hpp"

#include <algorithm>
#include <atomic>

namespace tapehead {

struct Outline::Count {
  std::atomic<std::size_t> live{0};  // a tensor may end on any thread
  std::size_t peak = 0;
};

Outline::Outline() : count_(std::make_shared<Count>()) {}

std::size_t Outline::peak_bytes() const { return count_->peak; }

std::shared_ptr<void> Outline::share(std::size_t bytes) {
  const std::shared_ptr<Count> count = innermost()->count_;
  count->peak = std::max(count->peak, count->live += bytes);
  return {count.get(), [count, bytes](void*) { count->live -= bytes; }};
}

}  // namespace tapehead
