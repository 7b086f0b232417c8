#pragma once
// Shared by the matmul tests.
#include "../../core/kernels/gemm/gemm.hpp"
#include "../../core/random.hpp"

#include <vector>

namespace tapehead {

/// Returns random numbers for a matrix, whose rows may be longer than used.
template <class T>
std::vector<T> numbers(Index n, std::uint64_t seed) {
  const auto values = random_normal({n}, {seed}, DType::f64).values();
  return std::vector<T>(values.begin(), values.end());
}

template <class T>
T at(const Matrix<const T>& m, Index i, Index j) {
  return m.transposed ? m.data[j * m.stride + i] : m.data[i * m.stride + j];
}

/// The initial value that a matmul adds to.
enum class Start { zero, c, bias };

}  // namespace tapehead
