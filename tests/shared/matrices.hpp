#pragma once
// What the tests of products share.
#include "../../core/kernels/gemm/gemm.hpp"
#include "../../core/random.hpp"

#include <vector>

namespace tapehead {

/// Random numbers that a row of a matrix may be longer than.
template <class T>
std::vector<T> numbers(Index n, std::uint64_t seed) {
  const auto values = random_normal({n}, {seed}, DType::f64).values();
  return std::vector<T>(values.begin(), values.end());
}

template <class T>
T at(const Matrix<const T>& m, Index i, Index j) {
  return m.transposed ? m.data[j * m.stride + i] : m.data[i * m.stride + j];
}

/// What a product is added to.
enum class Start { zero, c, bias };

}  // namespace tapehead
