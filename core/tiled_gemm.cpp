// Products of our own: b is cut into panels that fit into the first-level cache, laid out in rows
// of whole registers; tiles of c stay in registers while a panel's rows are walked.
#include <tapehead/core/simd.hpp>
#include <tapehead/core/tiled_gemm.hpp>

namespace tapehead {
namespace {

constexpr Index width = lanes<float>;
/// Registers across a tile and rows of it: their product, a row of b and an element of a fill the
/// processor's registers, 32 with AVX-512 or 16.
constexpr Index across = width == 16 ? 4 : 2, down = 6;
constexpr Index longest = 128;  // rows of a panel, which takes 32 KB with AVX-512

/// Rows of b (inner, columns), at most across * width of them, padded with zeros to whole
/// registers.
void pack(const Matrix<const float>& b, float* panel) {
  constexpr Index stride = across * width;
  const Index registers = (b.columns + width - 1) / width;
  if (!b.transposed) {
    for (Index k = 0; k < b.rows; ++k)
      for (Index r = 0; r < registers; ++r)
        load_part(b.data + k * b.stride + r * width, std::min(width, b.columns - r * width))
            .store_aligned(panel + k * stride + r * width);
    return;
  }
  for (Index r = 0; r < registers; ++r)
    for (Index k = 0; k < b.rows; k += width) {
      const Index columns = std::min(width, b.columns - r * width);
      const Index rows = std::min(width, b.rows - k);
      Square<float> square;
      for (Index i = 0; i < width; ++i)
        square[static_cast<std::size_t>(i)] =
            i < columns ? load_part(b.data + (r * width + i) * b.stride + k, rows)
                        : Vec<float>(0.f);
      square = transposed(square);
      for (Index i = 0; i < rows; ++i)
        square[static_cast<std::size_t>(i)].store_aligned(panel + (k + i) * stride + r * width);
    }
}

/// What becomes of a tile's sums: c = factor * sums, plus c if they accumulate, or plus a bias.
struct Ending {
  float factor;
  bool accumulate;
  const float* bias;
};

/// A tile of c: `rows` of a by a panel.
template <Index rows, Index registers>
void tile(const Matrix<const float>& a, const float* panel, const Matrix<float>& c,
          const Ending& ending) {
  const Index step = a.transposed ? a.stride : 1, apart = a.transposed ? 1 : a.stride;
  const float* left = a.data;
  // A tile of c, and the next rows of a, are fetched while this one is computed.
  for (Index i = 0; i < rows; ++i)
    for (Index r = 0; r < registers; ++r) __builtin_prefetch(c.data + i * c.stride + r * width, 1);
  Vec<float> sums[rows][registers];
  for (auto& sum : sums) std::fill_n(sum, registers, Vec<float>(0.f));
  for (Index k = 0; k < a.columns; ++k, left += step, panel += across * width) {
    if (k % 16 == 0 && !a.transposed)  // a line of 64 bytes of each
      for (Index i = 0; i < rows; ++i) __builtin_prefetch(left + (rows + i) * apart);
    Vec<float> right[registers];
    for (Index r = 0; r < registers; ++r) right[r] = Vec<float>::load_aligned(panel + r * width);
    for (Index i = 0; i < rows; ++i) {
      const Vec<float> x(left[i * apart]);
      for (Index r = 0; r < registers; ++r) sums[i][r] = xsimd::fma(x, right[r], sums[i][r]);
    }
  }
  for (Index r = 0; r < registers; ++r) {
    const Index part = std::min(width, c.columns - r * width);
    const Vec<float> bias =
        ending.bias ? load_part(ending.bias + r * width, part) : Vec<float>(0.f);
    for (Index i = 0; i < rows; ++i) {
      float* const to = c.data + i * c.stride + r * width;
      const Vec<float> start = ending.accumulate ? load_part(to, part) : bias;
      store_part(to, part, sums[i][r] * Vec<float>(ending.factor) + start);
    }
  }
}

/// The last rows, fewer than a tile's.
template <Index rows, Index registers>
void rest(const Matrix<const float>& a, const float* panel, const Matrix<float>& c,
          const Ending& ending) {
  if constexpr (rows > 0) {
    if (c.rows == rows) return tile<rows, registers>(a, panel, c, ending);
    rest<rows - 1, registers>(a, panel, c, ending);
  }
}

/// All rows of a by a panel of so many registers across, or fewer.
template <Index registers>
void tiles(const Matrix<const float>& a, const float* panel, const Matrix<float>& c,
           const Ending& ending) {
  if constexpr (registers > 1)
    if (c.columns <= (registers - 1) * width) return tiles<registers - 1>(a, panel, c, ending);
  constexpr Index rows = registers == across ? down : 8;
  Index row = 0;
  for (; row + rows <= c.rows; row += rows)
    tile<rows, registers>(rows_of(a, row, row + rows), panel, rows_of(c, row, row + rows), ending);
  rest<rows - 1, registers>(rows_of(a, row, c.rows), panel, rows_of(c, row, c.rows), ending);
}

}  // namespace

bool is_tiled(const Matrix<float>& c, Index inner, bool with_bias) {
  constexpr bool wide = width >= 8;  // with narrower registers the libraries are quicker to begin
  // A library adds a bias by a walk of its own over c.
  const Index most = Index{1} << (!wide ? 16 : with_bias ? 24 : 22);
  return c.rows * c.columns * inner <= most;
}

void gemm_tiled(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate, const float* bias) {
  alignas(64) thread_local float panel[longest * across * width];
  const Index parts = (a.columns + longest - 1) / longest;
  const Index inner = (a.columns + parts - 1) / parts;
  for (Index k = 0; k < a.columns; k += inner) {
    const Index k_end = std::min(k + inner, a.columns);
    for (Index j = 0; j < c.columns; j += across * width) {
      const Index j_end = std::min(j + across * width, c.columns);
      pack(columns_of(rows_of(b, k, k_end), j, j_end), panel);
      tiles<across>(columns_of(a, k, k_end), panel, columns_of(c, j, j_end),
                    {factor, accumulate || k > 0, bias ? bias + j : nullptr});
    }
  }
}

}  // namespace tapehead
