#pragma once
// A tile of a product: its sums stay in registers while the rows of a panel are walked. Meanwhile
// what the next tile and the next panel need is prefetched, a few cache lines at a time: a
// processor can only have as many misses in flight as it has buffers for them, and stalls on the
// rest.
#include "../simd.hpp"
#include "gemm.hpp"

namespace tapehead {

constexpr Index register_width = lanes<float>;
constexpr Index registers_across = tuning::registers_across(register_width);
using tuning::rows_down;
constexpr Index panel_columns = registers_across * register_width;  // of a panel, at most
constexpr Index cache_line = tuning::cache_line / sizeof(float);    // in elements
constexpr Index second_level = 2, nearest = 3;                      // cache levels

/// How a tile's sums are stored: c = factor * sums, plus the old c with `accumulate`, or plus a
/// bias.
struct Epilogue {
  float factor;
  bool accumulate;
  const float* bias;
};

/// Prefetches as many lines as a panel's row has. An invalid address does no harm. Inlined, since
/// the compiler treats a function that only prefetches as having no effect.
[[gnu::always_inline]] inline void prefetch_lines(const float* from) {
  for (Index i = 0; i < panel_columns; i += cache_line)
    __builtin_prefetch(from + i, 0, second_level);
}

/// Prefetches a matrix in `turns` turns, some cache lines at a time. The position advances without
/// branches: mispredicted ones would cost as much as all the rest.
class Prefetch {
 public:
  Prefetch(Matrix<const float> m, Index turns) {
    if (m.transposed) m = m.t();
    const Index blocks = (m.columns + panel_columns - 1) / panel_columns;
    at_ = m.data;
    columns_ = m.columns;
    left_ = m.rows * blocks;
    each_ = (left_ + turns - 1) / turns;
    to_next_row_ = m.stride - (blocks - 1) * panel_columns;
  }
  [[gnu::always_inline]] void next() {
    for (Index i = 0; i < each_; ++i) {
      prefetch_lines(at_);
      column_ += panel_columns;
      const bool row_ends = column_ >= columns_, more = --left_ > 0;
      at_ += !more ? 0 : row_ends ? to_next_row_ : panel_columns;
      column_ = row_ends ? 0 : column_;
    }
  }

 private:
  const float* at_;
  Index columns_, column_ = 0, left_, each_, to_next_row_;
};

/// c, (rows, registers), from the same rows of a and a panel. Inlined, since a call takes a
/// hundredth of the time of a short tile.
template <Index rows, Index registers>
[[gnu::always_inline]] inline void tile(const Matrix<const float>& a, const Matrix<const float>& b,
                                        const Matrix<float>& c, const Epilogue& epilogue,
                                        Prefetch& prefetch) {
  const Index step = a.transposed ? a.stride : 1, apart = a.transposed ? 1 : a.stride;
  const Index inner = a.columns, columns = c.columns, b_stride = b.stride, c_stride = c.stride;
  const float *left = a.data, *row = b.data, *next = left + rows * apart;
  float *const to = c.data, *written = to;
  // In a transposed a the columns of the next tile mostly share cache lines with this one's.
  const auto line_of = [](const float* x) { return reinterpret_cast<std::uintptr_t>(x) / 64; };
  const bool next_line = line_of(next - 1) != line_of(next + rows - 1);

  Vec<float> sums[rows][registers];
  unrolled<rows>(
      [&](auto i) { unrolled<registers>([&](auto r) { sums[i][r] = Vec<float>(0.f); }); });
  // Narrow tiles end before what they prefetch has arrived.
  constexpr Index parts = registers == registers_across ? rows : 1;
  const Index stretch = (inner + parts - 1) / parts;
  for (Index p = 0, k = 0; p < parts; ++p) {
    if constexpr (parts > 1) {
      for (Index r = 0; r < registers; ++r)
        __builtin_prefetch(written + r * register_width, 1, nearest);
      written += c_stride;
      if (!a.transposed) {
        for (Index i = 0; i < inner; i += panel_columns) prefetch_lines(next + i);
        next += apart;
      } else if (next_line) {
        for (Index i = 0; i < stretch; ++i)
          __builtin_prefetch(left + i * step + 2 * rows - 1, 0, second_level);
      }
      prefetch.next();
    }
    for (const Index end = std::min(k + stretch, inner); k < end;
         ++k, left += step, row += b_stride) {
      Vec<float> right[registers];
      unrolled<registers>(
          [&](auto r) { right[r] = Vec<float>::load_unaligned(row + r * register_width); });
      unrolled<rows>([&](auto i) {
        const Vec<float> x(left[i * apart]);
        unrolled<registers>([&](auto r) { sums[i][r] = xsimd::fma(x, right[r], sums[i][r]); });
      });
    }
  }
  const Vec<float> factor(epilogue.factor);
  const auto finish = [&](auto start) __attribute__((always_inline)) {
    unrolled<registers>([&](auto r) {
      const Index part = std::min(register_width, columns - r * register_width);
      unrolled<rows>([&](auto i) {
        float* const at = to + i * c_stride + r * register_width;
        store_part(at, part, xsimd::fma(sums[i][r], factor, start(at, r, part)));
      });
    });
  };
  if (epilogue.accumulate)
    finish([](const float* at, Index, Index part) { return load_part(at, part); });
  else if (const float* const bias = epilogue.bias)
    finish([=](const float*, Index r, Index part) {
      return load_part(bias + r * register_width, part);
    });
  else
    finish([](const float*, Index, Index) { return Vec<float>(0.f); });
}

}  // namespace tapehead
