#pragma once
// One tile of a matmul: the tile's sums stay in registers during the loop over the rows of a panel.
// The loop also prefetches the next tile and the next panel, a few cache lines at a time, because a
// processor stalls when it has more cache misses than fill buffers.
#include "../functions/numbers.hpp"
#include "gemm.hpp"

#include <algorithm>
#include <type_traits>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// The number of rows of a tile. Each row has four registers on processors with 32 registers,
/// otherwise two. So the sums of a tile, a row of b and an element of a fill the registers.
constexpr Index rows_down = 6;
#if XSIMD_WITH_AVX512F || XSIMD_WITH_NEON64
template <class T>
constexpr Index registers_across = 4;
#else
template <class T>
constexpr Index registers_across = 2;
#endif
template <class T>
constexpr Index panel_columns = registers_across<T>* lanes<T>;  // largest width of a panel
template <class T>
constexpr Index cache_line = tuning::cache_line / sizeof(T);  // in elements
template <class T>
constexpr bool is_narrow = panel_columns<T> <= cache_line<T>;
constexpr Index second_level = 2, first_level = 3;  // cache levels for __builtin_prefetch
#ifdef __wasm__
constexpr bool has_prefetches = false;
#else
constexpr bool has_prefetches = true;
#endif

/// Prefetches the cache lines of one row of a panel. An invalid address does no harm. Inlined,
/// because the compiler would remove the call of a function that only prefetches.
template <class T>
[[gnu::always_inline]] inline void prefetch_lines(const T* from) {
  for (Index i = 0; i < panel_columns<T>; i += cache_line<T>)
    __builtin_prefetch(from + i, 0, second_level);
}

/// Prefetches a matrix in `turns` steps; next() prefetches some cache lines. Written without
/// branches, because mispredictions would double the cost.
template <class T>
class Prefetch {
 public:
  Prefetch(Matrix<const T> m, Index turns) {
    if (m.transposed) m = m.t();
    const Index blocks = (m.columns + panel_columns<T> - 1) / panel_columns<T>;
    at_ = m.data;
    columns_ = m.columns;
    left_ = m.rows * blocks;
    each_ = (left_ + turns - 1) / turns;
    to_next_row_ = m.stride - (blocks - 1) * panel_columns<T>;
  }
  [[gnu::always_inline]] void next() {
    for (Index i = 0; i < each_; ++i) {
      prefetch_lines(at_);
      column_ += panel_columns<T>;
      const bool row_ends = column_ >= columns_, more = --left_ > 0;
      at_ += !more ? 0 : row_ends ? to_next_row_ : panel_columns<T>;
      column_ = row_ends ? 0 : column_;
    }
  }

 private:
  const T* at_;
  Index columns_, column_ = 0, left_, each_, to_next_row_;
};

/// Computes a tile of c, (rows, registers), from rows of a and a panel of b. Inlined, because a
/// call takes 1 % of the time of a small tile.
template <Index rows, Index registers, class T>
[[gnu::always_inline]] inline void tile(const Matrix<const T>& a, const Matrix<const T>& b,
                                        const Matrix<T>& c, const Epilogue<T>& epilogue,
                                        Prefetch<T>& prefetch) {
  const Index step = a.transposed ? a.stride : 1, apart = a.transposed ? 1 : a.stride;
  const Index inner = a.columns, columns = c.columns, b_stride = b.stride, c_stride = c.stride;
  const T *left = a.data, *row = b.data, *next = left + rows * apart;
  T *const to = c.data, *written = to;
  // Returns the cache line of element i of the next tile. If a is transposed, most of these lines
  // are also lines of this tile. Computes with integers, because a.data may be null, and adding an
  // offset to null is undefined.
  const auto line_of = [next](Index i) {
    return (reinterpret_cast<std::uintptr_t>(next) + static_cast<std::uintptr_t>(i) * sizeof(T)) /
           64;
  };
  // Doesn't prefetch the next tile of a packed block, because the hardware prefetcher does.
  const bool next_line = a.stride != rows_down && line_of(-1) != line_of(rows - 1);

  Vec<T> sums[rows][registers];
  unrolled<rows>([&](auto i) { unrolled<registers>([&](auto r) { sums[i][r] = Vec<T>(T{0}); }); });
  // Narrow tiles don't prefetch, because they finish before the prefetches arrive.
  constexpr Index parts = has_prefetches && registers == registers_across<T> ? rows : 1;
  const Index stretch = (inner + parts - 1) / parts;
  for (Index p = 0, k = 0; p < parts; ++p) {
    if constexpr (parts > 1) {
      for (Index r = 0; r < registers; ++r)
        __builtin_prefetch(written + r * lanes<T>, 1, first_level);
      written += c_stride;
      if (!a.transposed) {
        for (Index i = 0; i < inner; i += panel_columns<T>) prefetch_lines(next + i);
        next += apart;
      } else if (next_line) {
        for (Index i = 0; i < stretch; ++i)
          __builtin_prefetch(left + i * step + 2 * rows - 1, 0, second_level);
      }
      prefetch.next();
    }
    for (const Index end = std::min(k + stretch, inner); k < end;
         ++k, left += step, row += b_stride) {
      Vec<T> right[registers];
      unrolled<registers>([&](auto r) { right[r] = Vec<T>::load_unaligned(row + r * lanes<T>); });
      unrolled<rows>([&](auto i) {
        const Vec<T> x(left[i * apart]);
        unrolled<registers>([&](auto r) { sums[i][r] = fma(x, right[r], sums[i][r]); });
      });
    }
  }
  const Vec<T> factor(epilogue.factor);
  const auto finish = [&](auto start) __attribute__((always_inline)) {
    unrolled<registers>([&](auto r) {
      const Index part = std::min(lanes<T>, columns - r * lanes<T>);
      unrolled<rows>([&](auto i) {
        T* const at = to + i * c_stride + r * lanes<T>;
        store_partial(at, part, fma(sums[i][r], factor, start(at, r, part)));
      });
    });
  };
  if (epilogue.accumulate)
    finish([](const T* at, Index, Index part) { return load_partial(at, part); });
  else if (const T* const bias = epilogue.bias)
    finish([=](const T*, Index r, Index part) { return load_partial(bias + r * lanes<T>, part); });
  else
    finish([](const T*, Index, Index) { return Vec<T>(T{0}); });
}

// ---- the split of a matmul: b into panels, c into tiles

/// The panels of b. A panel has at most `rows` rows and `columns` columns.
template <class T>
struct Panels {
  const Matrix<const T>& b;
  Index rows, columns;

  /// Returns the panel that begins at element (k, j) of b. It is empty past the end of b.
  Matrix<const T> at(Index k, Index j) const {
    const auto part = rows_of(b, k, std::min(k + rows, b.rows));
    return columns_of(part, j, std::min(j + columns, b.columns));
  }
  /// Returns the panel that is multiplied after the panel at (k, j).
  Matrix<const T> after(Index k, Index j) const {
    return j + columns < b.columns ? at(k, j + columns) : at(std::min(k + rows, b.rows), 0);
  }
};

/// Calls work(row, rows) for each tile of `most` rows, then for the remaining rows; `rows` is a
/// compile-time constant.
template <Index most, class Work>
void for_each_tile(Index rows, const Work& work) {
  Index row = 0;
  for (; row + most <= rows; row += most) work(row, std::integral_constant<Index, most>{});
  unrolled<most - 1>([&](auto before) {
    if (rows - row == before + 1) work(row, std::integral_constant<Index, before + 1>{});
  });
}
/// Calls work(registers) with the number of registers for `columns` columns as a compile-time
/// constant, at most `most`. A register has `wide` elements.
template <Index most, class Work>
void with_registers(Index columns, Index wide, const Work& work) {
  if constexpr (most > 1)
    if (columns <= (most - 1) * wide) return with_registers<most - 1>(columns, wide, work);
  work(std::integral_constant<Index, most>{});
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
