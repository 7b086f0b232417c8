#pragma once
#include "../core/kernels/gemm/gemm.hpp"
#include "../core/runtime/parallel.hpp"

namespace tapehead {

/// Sets with how many threads and with which products the process computes, and restores both at
/// its end. Make it on the main thread, between runs.
class ComputeScope {
 public:
  /// Throws as set_threads and set_products do, and then both are as before.
  ComputeScope(int threads, Products products) : ComputeScope() {
    set_threads(threads);
    set_products(products);
  }
  ~ComputeScope() {
    set_threads(threads_);
    set_products(products_);
  }
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

 private:
  ComputeScope() : threads_(threads()), products_(products()) {}

  int threads_;
  Products products_;
};

}  // namespace tapehead
