// Products of our own: b is cut into panels a few registers wide, which stay in the nearer caches;
// tiles of c stay in registers while a panel's rows are walked.
#include <tapehead/core/gemm_tile.hpp>
#include <tapehead/core/tiled_gemm.hpp>

namespace tapehead {
namespace {

constexpr Index longest = 256;  // a panel's rows, at most

/// A panel in rows of whole registers, padded with zeros.
Matrix<const float> pack(const Matrix<const float>& b, float* panel) {
  const Matrix<const float> packed{panel, b.rows, b.columns, panel_columns};
  const Index registers = (b.columns + register_width - 1) / register_width;
  if (!b.transposed) {
    for (Index k = 0; k < b.rows; ++k)
      for (Index r = 0; r < registers; ++r)
        load_part(b.data + k * b.stride + r * register_width,
                  std::min(register_width, b.columns - r * register_width))
            .store_aligned(panel + k * panel_columns + r * register_width);
    return packed;
  }
  for (Index r = 0; r < registers; ++r)
    for (Index k = 0; k < b.rows; k += register_width) {
      const Index columns = std::min(register_width, b.columns - r * register_width);
      const Index rows = std::min(register_width, b.rows - k);
      Square<float> square;
      unrolled<register_width>([&](auto i) {
        square[i] = i < columns ? load_part(b.data + (r * register_width + i) * b.stride + k, rows)
                                : Vec<float>(0.f);
      });
      transpose(square);
      unrolled<register_width>([&](auto i) {
        if (i < rows) square[i].store_aligned(panel + (k + i) * panel_columns + r * register_width);
      });
    }
  return packed;
}

/// The last rows, fewer than a tile's.
template <Index rows, Index registers>
void rest(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Ending& ending, Ahead& ahead) {
  if constexpr (rows > 0) {
    if (c.rows == rows) return tile<rows, registers>(a, b, c, ending, ahead);
    rest<rows - 1, registers>(a, b, c, ending, ahead);
  }
}

/// All rows of a by a panel of so many registers across, or fewer.
template <Index registers>
void tiles(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
           const Ending& ending, Ahead& ahead) {
  if constexpr (registers > 1)
    if (c.columns <= (registers - 1) * register_width)
      return tiles<registers - 1>(a, b, c, ending, ahead);
  constexpr Index rows = registers == registers_across ? rows_down : 8;
  Index row = 0;
  for (Index end = rows; end <= c.rows; row = end, end += rows)
    tile<rows, registers>(rows_of(a, row, end), b, rows_of(c, row, end), ending, ahead);
  rest<rows - 1, registers>(rows_of(a, row, c.rows), b, rows_of(c, row, c.rows), ending, ahead);
}

}  // namespace

bool is_tiled(const Matrix<float>& c, Index inner, bool b_transposed) {
  constexpr bool wide =
      register_width >= 8;  // with narrower registers the libraries are quicker to begin
  const Index most = Index{1} << (!wide ? 16 : b_transposed ? 29 : 22);
  return c.rows * c.columns * inner <= most;
}

void gemm_tiled(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate, const float* bias) {
  alignas(64) thread_local float memory[longest * panel_columns];
  const Index parts = (a.columns + longest - 1) / longest;
  const Index inner = (a.columns + parts - 1) / parts;
  const auto panel_at = [&](Index k, Index j) {
    const auto rows = rows_of(b, k, std::min(k + inner, b.rows));
    return columns_of(rows, j, std::min(j + panel_columns, b.columns));
  };
  for (Index k = 0; k < a.columns; k += inner) {
    const Index k_end = std::min(k + inner, a.columns);
    for (Index j = 0; j < c.columns; j += panel_columns) {
      const Index j_end = std::min(j + panel_columns, c.columns);
      auto panel = panel_at(k, j);
      Ahead ahead(j_end < c.columns ? panel_at(k, j_end) : panel_at(k_end, 0));
      // Rows of whole registers are read where they are: their way here hides behind the products.
      if (b.transposed || panel.columns % register_width != 0) panel = pack(panel, memory);
      tiles<registers_across>(columns_of(a, k, k_end), panel, columns_of(c, j, j_end),
                              {factor, accumulate || k > 0, bias ? bias + j : nullptr}, ahead);
    }
  }
}

}  // namespace tapehead
