#include "meta_tensors.hpp"
#include "tensor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

namespace tapehead {

struct MetaTensors::Count {
  std::atomic<std::size_t> live{0};  // atomic, because any thread may destroy a tensor
  std::size_t peak = 0;
};

MetaTensors::MetaTensors() : count_(std::make_shared<Count>()) {}

std::size_t MetaTensors::peak_bytes() const { return count_->peak; }

std::shared_ptr<void> MetaTensors::track_bytes(std::size_t bytes) {
  const std::shared_ptr<Count> count = innermost()->count_;
  count->peak = std::max(count->peak, count->live += bytes);
  return {count.get(), [count, bytes](void*) { count->live -= bytes; }};
}

/// Allocates zeros when the elements of a meta tensor are read. Keeps the tensor's old owner,
/// because it counts the tensor's memory.
std::byte* Tensor::zeros_of_meta() const {
  const std::size_t bytes = std::max<std::size_t>(size() * bytes_of(dtype()), 1);
  const std::shared_ptr<void> zeros(std::calloc(bytes, 1), std::free);
  if (!zeros) throw std::bad_alloc();
  data_->elements = static_cast<std::byte*>(zeros.get());
  data_->owner = std::make_shared<std::array<std::shared_ptr<void>, 2>>(
      std::array{zeros, std::move(data_->owner)});
  return data_->elements;
}

}  // namespace tapehead
