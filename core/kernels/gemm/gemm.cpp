#include "gemm.hpp"
#include "../../runtime/parallel.hpp"
#include "../kernels.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace tapehead {
namespace {

/// Returns the number of operations of a matmul: 2 * rows * inner * columns.
template <class T>
double operations(const Matrix<const T>& a, const Matrix<T>& c) {
  return 2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(a.columns);
}

/// Returns the number of pieces in which to multiply a single row by b.
template <class M>
Index row_split(const Matrix<M>& b) {
  return std::min(free_split(tuning::element_cost * static_cast<double>(b.rows * b.columns)),
                  b.columns);
}

/// A split of `all` elements into `parts` parts of nearly equal length. Parts begin at multiples of
/// `unit`.
struct Cuts {
  Index all, unit, parts = 1;

  Index units() const { return (all + unit - 1) / unit; }
  Index longest() const { return (units() + parts - 1) / parts * unit; }
  /// Returns the first element of part i.
  Index operator()(Index i) const { return std::min(units() * i / parts * unit, all); }
};
/// A split of the result c into pieces: its rows at multiples of tiles, and its columns at
/// multiples of panels.
struct Pieces {
  Cuts down, across;

  Index count() const { return down.parts * across.parts; }
  /// Returns the cost of the largest piece, in elements of c. Reading the rows of a costs as much
  /// as computing some additional columns, and packing the columns of b as much as some additional
  /// rows.
  double cost() const {
    return static_cast<double>(down.longest() + tuning::rows_to_pack) *
           static_cast<double>(across.longest() + tuning::columns_to_read);
  }
};

/// Returns the split with the lowest cost. Each thread computes `turns` pieces and then waits for
/// slower threads. The wait grows with the number of threads. A small c is split for fewer threads.
Pieces pieces_of(Index rows, Index columns, const Sharing& sharing) {
  const Pieces whole{{rows, tuning::piece_rows}, {columns, tuning::piece_columns}};
  const double waits = std::min(tuning::slowest * threads(), 1.0);  // in units of a piece's time
  Pieces best = whole;
  for (Index sharers = sharing.threads; sharers > 1 && best.count() == 1; --sharers) {
    double least = HUGE_VAL;
    for (Index turns = 1; turns <= sharing.turns; ++turns)
      for (Index across = 1; across <= sharers * turns; ++across) {
        Pieces some = whole;
        some.across.parts = across;
        some.down.parts = sharers * turns / across;
        const bool fits = some.count() == sharers * turns && some.down.parts <= some.down.units() &&
                          across <= some.across.units();
        if (!fits) continue;
        const double time = (static_cast<double>(turns) + waits) * some.cost();
        if (time >= least) continue;
        least = time;
        best = some;
      }
  }
  return best;
}

/// Returns the epilogue for the columns of c from `first` on.
template <class T>
Epilogue<T> from_column(Epilogue<T> epilogue, Index first) {
  if (epilogue.bias) epilogue.bias += first;
  return epilogue;
}

/// Multiplies a single row by a matrix, on several threads if the matrix is large: memory bandwidth
/// is the limit, and several cores have more of it. The split doesn't change the result. Returns
/// false and does nothing if multiply_tiles is faster.
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
              const Epilogue<T>& epilogue) {
  assert(!(epilogue.accumulate && epilogue.bias));
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  if (c.rows == 0 || c.columns == 0) return;
  if (multiply_row(a, b, c, epilogue)) return;
  const Sharing sharing = free_sharing(operations(a, c));
  // Handles a single piece without a copy of the matrix descriptors, which takes as long as the
  // smallest matmuls.
  if (sharing.threads == 1) return kernels<T>().multiply_tiles(a, b, c, epilogue);
  // The split doesn't affect the order in which an element's terms are added.
  const Pieces pieces = pieces_of(c.rows, c.columns, sharing);
  parallel_for(pieces.count(), [&](Index i) {
    const auto& [down, across] = pieces;
    const Index y = i / across.parts, x = i % across.parts;
    const Index top = down(y), bottom = down(y + 1), left = across(x), right = across(x + 1);
    kernels<T>().multiply_tiles(rows_of(a, top, bottom), columns_of(b, left, right),
                                columns_of(rows_of(c, top, bottom), left, right),
                                from_column(epilogue, left));
  });
}

}  // namespace

void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue) {
  multiply(a, b, c, epilogue);
}
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          const Epilogue<double>& epilogue) {
  multiply(a, b, c, epilogue);
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
  // Each piece has at least as many columns as are converted to f32 at a time, because each piece
  // reads all of a.
  const Index at_once = std::min(tuning::widened_columns, c.columns);
  const Index strips = (c.columns + at_once - 1) / at_once;
  const auto some = [&](Index first, Index end) {
    std::vector<float> wide(static_cast<std::size_t>(at_once * b.rows));
    for (Index j = first * at_once; j < std::min(end * at_once, c.columns); j += at_once) {
      const Index columns = std::min(at_once, c.columns - j);
      for (Index i = 0; i < columns; ++i)
        kernels<float>().widen(wide.data() + i * b.rows, b.rows, b.data + (j + i) * b.stride);
      kernels<float>().multiply_tiles(a, matrix<const float>(wide.data(), columns, b.rows).t(),
                                      piece_of(j, j + columns), from_column(epilogue, j));
    }
  };
  parallel_pieces(strips, std::min(free_split(operations(a, c)), strips), some);
}

}  // namespace tapehead
