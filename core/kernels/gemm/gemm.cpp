#include "../../runtime/parallel.hpp"
#include "../kernels.hpp"
#include "bf16.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace tapehead {
namespace {

/// The cost of a product: 2 * rows * inner * columns.
template <class T>
double operations(const Matrix<const T>& a, const Matrix<T>& c) {
  return 2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(a.columns);
}

template <class T>
void multiply_piece(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                    const Epilogue<T>& epilogue, bool rounded) {
  if constexpr (std::is_same_v<T, float>)
    if (rounded) return gemm_bf16(a, b, c, epilogue);
  kernels<T>().multiply_tiles(a, b, c, epilogue);
}

/// Into how many pieces the product of one row with b is split.
template <class M>
Index row_split(const Matrix<M>& b) {
  return std::min(free_split(tuning::element_cost * static_cast<double>(b.rows * b.columns)),
                  b.columns);
}

/// Into how many pieces c is split, down and across. They are as square as they can be, since each
/// reads its rows of a and packs its columns of b, but no narrower than a panel.
struct Pieces {
  Index down = 1, across = 1;
};
Pieces pieces_of(Index rows, Index columns, Index count) {
  Pieces best{std::min(count, rows), 1};
  Index least = best.down * columns + rows;
  for (Index across = 2; across <= count; ++across) {
    const Index down = count / across, reads = down * columns + across * rows;
    const bool fits = down * across == count && down <= rows;
    if (!fits || columns / across < tuning::piece_columns || reads >= least) continue;
    best = {down, across};
    least = reads;
  }
  return best;
}

/// The part of an epilogue for the columns from `first` on.
template <class T>
Epilogue<T> from_column(Epilogue<T> epilogue, Index first) {
  if (epilogue.bias) epilogue.bias += first;
  return epilogue;
}

/// A row times a large matrix waits for memory, and two processors fetch more of it than one. An
/// element's sum doesn't depend on the others. False, and nothing done, where tiles are faster.
template <class T>
bool multiply_row(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                  const Epilogue<T>& epilogue) {
  if (c.rows != 1) return false;
  const Index count = row_split(b);
  if (count == 1 || a.transposed || !b.transposed)
    return kernels<T>().multiply_row(a, b, c, epilogue);
  parallel_pieces(c.columns, count, [&](Index first, Index end) {
    kernels<T>().multiply_row(a, columns_of(b, first, end), columns_of(c, first, end),
                              from_column(epilogue, first));
  });
  return true;
}

template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
              const Epilogue<T>& epilogue, Precision precision) {
  assert(!(epilogue.accumulate && epilogue.bias));
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  if (c.rows == 0 || c.columns == 0) return;
  if (multiply_row(a, b, c, epilogue)) return;
  const double cost = operations(a, c);
  const bool rounded = precision == Precision::bf16 && cost >= tuning::worth_rounding;
  const Index count = free_split(cost);
  // A single piece needs no copies of the matrices' descriptors, which take as long as the
  // smallest products.
  if (count == 1) return multiply_piece(a, b, c, epilogue, rounded);
  // Each element is summed in an order that doesn't depend on the piece's rows and columns.
  const Pieces pieces = pieces_of(c.rows, c.columns, count);
  parallel_for(pieces.down * pieces.across, [&](Index i) {
    const Index y = i / pieces.across, x = i % pieces.across;
    const Index top = c.rows * y / pieces.down, bottom = c.rows * (y + 1) / pieces.down;
    const Index left = c.columns * x / pieces.across, right = c.columns * (x + 1) / pieces.across;
    multiply_piece(rows_of(a, top, bottom), columns_of(b, left, right),
                   columns_of(rows_of(c, top, bottom), left, right), from_column(epilogue, left),
                   rounded);
  });
}

}  // namespace

void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue, Precision precision) {
  multiply(a, b, c, epilogue, precision);
}
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          const Epilogue<double>& epilogue, Precision precision) {
  multiply(a, b, c, epilogue, precision);
}

void gemm(const Matrix<const float>& a, const Matrix<const Bf16>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue) {
  assert(!(epilogue.accumulate && epilogue.bias) && b.transposed);
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  if (c.rows == 0 || c.columns == 0) return;
  const auto piece_of = [&](Index first, Index end) { return columns_of(c, first, end); };
  if (c.rows == 1)
    return parallel_pieces(c.columns, row_split(b), [&](Index first, Index end) {
      kernels<float>().multiply_bf16_row(a, columns_of(b, first, end), piece_of(first, end),
                                         from_column(epilogue, first));
    });
  const Index count = std::min(free_split(operations(a, c)), c.columns);
  parallel_pieces(c.columns, count, [&](Index first, Index end) {
    const Index at_once = std::min(tuning::widened_columns, end - first);
    std::vector<float> wide(static_cast<std::size_t>(at_once * b.rows));
    for (Index j = first; j < end; j += at_once) {
      const Index columns = std::min(at_once, end - j);
      for (Index i = 0; i < columns; ++i)
        kernels<float>().widen(wide.data() + i * b.rows, b.rows, b.data + (j + i) * b.stride);
      kernels<float>().multiply_tiles(a, matrix<const float>(wide.data(), columns, b.rows).t(),
                                      piece_of(j, j + columns), from_column(epilogue, j));
    }
  });
}

}  // namespace tapehead
