// Products of our own: b is cut into panels a few registers wide, which stay in the nearer caches;
// tiles of c stay in registers while a panel's rows are walked.
#include <tapehead/core/simd.hpp>
#include <tapehead/core/tiled_gemm.hpp>

namespace tapehead {
namespace {

constexpr Index width = lanes<float>;
/// Registers across a tile and rows of it: their product, a row of b and an element of a fill the
/// processor's registers, 32 with AVX-512 or 16.
constexpr Index across = width == 16 ? 4 : 2, down = 6;
constexpr Index stride = across * width, longest = 256;  // a panel's columns and rows, at most

/// A panel in rows of whole registers, padded with zeros.
Matrix<const float> pack(const Matrix<const float>& b, float* panel) {
  const Matrix<const float> packed{panel, b.rows, b.columns, stride};
  const Index registers = (b.columns + width - 1) / width;
  if (!b.transposed) {
    for (Index k = 0; k < b.rows; ++k)
      for (Index r = 0; r < registers; ++r)
        load_part(b.data + k * b.stride + r * width, std::min(width, b.columns - r * width))
            .store_aligned(panel + k * stride + r * width);
    return packed;
  }
  for (Index r = 0; r < registers; ++r)
    for (Index k = 0; k < b.rows; k += width) {
      const Index columns = std::min(width, b.columns - r * width);
      const Index rows = std::min(width, b.rows - k);
      Square<float> square;
      unrolled<width>([&](auto i) {
        square[i] = i < columns ? load_part(b.data + (r * width + i) * b.stride + k, rows)
                                : Vec<float>(0.f);
      });
      transpose(square);
      unrolled<width>([&](auto i) {
        if (i < rows) square[i].store_aligned(panel + (k + i) * stride + r * width);
      });
    }
  return packed;
}

/// What becomes of a tile's sums: c = factor * sums, plus c if they accumulate, or plus a bias.
struct Ending {
  float factor;
  bool accumulate;
  const float* bias;
};

/// A tile of c: `rows` of a by a panel.
template <Index rows, Index registers>
void tile(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Ending& ending) {
  const Index step = a.transposed ? a.stride : 1, apart = a.transposed ? 1 : a.stride;
  const Index inner = a.columns, columns = c.columns, b_stride = b.stride, c_stride = c.stride;
  const float *left = a.data, *row = b.data;
  float* const to = c.data;
  Vec<float> sums[rows][registers];
  unrolled<rows>(
      [&](auto i) { unrolled<registers>([&](auto r) { sums[i][r] = Vec<float>(0.f); }); });
  for (Index k = 0; k < inner; ++k, left += step, row += b_stride) {
    Vec<float> right[registers];
    unrolled<registers>([&](auto r) { right[r] = Vec<float>::load_unaligned(row + r * width); });
    unrolled<rows>([&](auto i) {
      const Vec<float> x(left[i * apart]);
      unrolled<registers>([&](auto r) { sums[i][r] = xsimd::fma(x, right[r], sums[i][r]); });
    });
  }
  const Vec<float> factor(ending.factor);
  const auto finish = [&](auto start) {
    unrolled<registers>([&](auto r) {
      const Index part = std::min(width, columns - r * width);
      unrolled<rows>([&](auto i) {
        float* const at = to + i * c_stride + r * width;
        store_part(at, part, xsimd::fma(sums[i][r], factor, start(at, r, part)));
      });
    });
  };
  if (ending.accumulate)
    finish([](const float* at, Index, Index part) { return load_part(at, part); });
  else if (const float* const bias = ending.bias)
    finish([=](const float*, Index r, Index part) { return load_part(bias + r * width, part); });
  else
    finish([](const float*, Index, Index) { return Vec<float>(0.f); });
}

/// Part `part` of so many of a matrix, as its rows lie in memory, sets out for the cache.
void prefetch(Matrix<const float> m, Index part, Index parts) {
  if (m.transposed) m = m.t();
  constexpr Index line = 64 / sizeof(float);
  const Index lines = (m.columns + line - 1) / line, all = m.rows * lines;
  if (all == 0) return;
  for (Index i = all * part / parts; i < all * (part + 1) / parts; ++i)
    __builtin_prefetch(m.data + i / lines * m.stride + i % lines * line);
}

/// The last rows, fewer than a tile's.
template <Index rows, Index registers>
void rest(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Ending& ending) {
  if constexpr (rows > 0) {
    if (c.rows == rows) return tile<rows, registers>(a, b, c, ending);
    rest<rows - 1, registers>(a, b, c, ending);
  }
}

/// All rows of a by a panel of so many registers across, or fewer. The next panel is fetched.
template <Index registers>
void tiles(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
           const Ending& ending, const Matrix<const float>& next) {
  if constexpr (registers > 1)
    if (c.columns <= (registers - 1) * width) return tiles<registers - 1>(a, b, c, ending, next);
  constexpr Index rows = registers == across ? down : 8;
  Index row = 0;
  for (; row + rows <= c.rows; row += rows) {
    prefetch(next, row / rows, c.rows / rows);
    tile<rows, registers>(rows_of(a, row, row + rows), b, rows_of(c, row, row + rows), ending);
  }
  rest<rows - 1, registers>(rows_of(a, row, c.rows), b, rows_of(c, row, c.rows), ending);
}

}  // namespace

bool is_tiled(const Matrix<float>& c, Index inner, bool b_transposed) {
  constexpr bool wide = width >= 8;  // with narrower registers the libraries are quicker to begin
  const Index most = Index{1} << (!wide ? 16 : b_transposed ? 29 : 22);
  return c.rows * c.columns * inner <= most;
}

void gemm_tiled(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate, const float* bias) {
  alignas(64) thread_local float memory[longest * stride];
  const Index parts = (a.columns + longest - 1) / longest;
  const Index inner = (a.columns + parts - 1) / parts;
  for (Index k = 0; k < a.columns; k += inner) {
    const Index k_end = std::min(k + inner, a.columns);
    const auto rows = rows_of(b, k, k_end);
    for (Index j = 0; j < c.columns; j += stride) {
      const Index j_end = std::min(j + stride, c.columns);
      // Rows of whole registers are read where they are: their way here hides behind the products.
      auto panel = columns_of(rows, j, j_end);
      if (b.transposed || panel.columns % width != 0) panel = pack(panel, memory);
      tiles<across>(columns_of(a, k, k_end), panel, columns_of(c, j, j_end),
                    {factor, accumulate || k > 0, bias ? bias + j : nullptr},
                    columns_of(rows, j_end, std::min(j_end + stride, c.columns)));
    }
  }
}

}  // namespace tapehead
