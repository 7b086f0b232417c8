#pragma once
// How a product is split for the kernels that compute it: b into panels, c into tiles.
#include "../simd.hpp"
#include "gemm.hpp"

#include <algorithm>
#include <type_traits>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// Splits b into panels of at most `rows` rows and `columns` columns.
template <class T>
struct Panels {
  const Matrix<const T>& b;
  Index rows, columns;

  /// The panel that begins at (k, j); empty past the end of b.
  Matrix<const T> at(Index k, Index j) const {
    const auto part = rows_of(b, k, std::min(k + rows, b.rows));
    return columns_of(part, j, std::min(j + columns, b.columns));
  }
  /// The panel that is multiplied after it.
  Matrix<const T> after(Index k, Index j) const {
    return j + columns < b.columns ? at(k, j + columns) : at(std::min(k + rows, b.rows), 0);
  }
};

/// Calls work(row, rows) for tiles of `most` rows, then for one tile of the rows that are left;
/// `rows` is a compile-time constant.
template <Index most, class Work>
void each_tile(Index rows, const Work& work) {
  Index row = 0;
  for (; row + most <= rows; row += most) work(row, std::integral_constant<Index, most>{});
  unrolled<most - 1>([&](auto before) {
    if (rows - row == before + 1) work(row, std::integral_constant<Index, before + 1>{});
  });
}
/// Calls work(registers), where the compile-time constant `registers`, at most `most`, is the
/// number of registers of `wide` elements that hold `columns` columns.
template <Index most, class Work>
void with_registers(Index columns, Index wide, const Work& work) {
  if constexpr (most > 1)
    if (columns <= (most - 1) * wide) return with_registers<most - 1>(columns, wide, work);
  work(std::integral_constant<Index, most>{});
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
