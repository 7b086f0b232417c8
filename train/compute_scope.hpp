#pragma once
#include "../core/kernels/gemm/gemm.hpp"
#include "../core/runtime/parallel.hpp"

namespace tapehead {

/// Sets the number of threads and the kind of products that the process computes with, and restores
/// both when it is destroyed. To be constructed on the main thread, between runs.
class ComputeScope {
 public:
  /// Throws as set_threads and set_products do; both settings are then unchanged.
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
