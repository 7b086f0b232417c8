// Our own products: b is split into panels a few registers wide, which stay in the nearer caches;
// tiles of c stay in registers while the rows of a panel are walked.
#include "packed.hpp"
#include "blocking.hpp"
#include "microkernel.hpp"

namespace tapehead {
namespace {

/// Into how many parts the inner axis is split.
Index parts_of(const Matrix<const float>& a) {
  return (a.columns + tuning::panel_rows - 1) / tuning::panel_rows;
}

/// Packs a panel into rows of whole registers, padded with zeros.
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
        const float* const row = b.data + (r * register_width + i) * b.stride + k;
        __builtin_prefetch(row + 2 * register_width);  // for the square after the next
        square[i] = i < columns ? load_part(row, rows) : Vec<float>(0.f);
      });
      transpose(square);
      unrolled<register_width>([&](auto i) {
        if (i < rows) square[i].store_aligned(panel + (k + i) * panel_columns + r * register_width);
      });
    }
  return packed;
}

/// Multiplies all rows of a by a panel.
void tiles(const Matrix<const float>& a, const Matrix<const float>& panel, const Matrix<float>& c,
           const Epilogue& epilogue, Prefetch& prefetch) {
  with_registers<registers_across>(c.columns, register_width, [&](auto registers) {
    each_tile<registers == registers_across ? rows_down : 8>(c.rows, [&](Index row, auto rows) {
      tile<rows, registers>(rows_of(a, row, row + rows), panel, rows_of(c, row, row + rows),
                            epilogue, prefetch);
    });
  });
}

/// As packed_gemm. All of c is walked for each part of the inner axis.
void multiply_strip(const Matrix<const float>& a, const Matrix<const float>& b,
                    const Matrix<float>& c, float factor, bool accumulate, const float* bias) {
  alignas(64) thread_local float memory[tuning::panel_rows * panel_columns];
  const Index parts = parts_of(a);
  const Index inner = (a.columns + parts - 1) / parts;
  const Panels panels{b, inner, panel_columns};
  for (Index k = 0; k < a.columns; k += inner) {
    const Index k_end = std::min(k + inner, a.columns);
    for (Index j = 0; j < c.columns; j += panel_columns) {
      const Index j_end = std::min(j + panel_columns, c.columns);
      auto panel = panels.at(k, j);
      Prefetch prefetch(panels.after(k, j), c.rows);
      // Rows of whole registers are read in place: the products hide the latency.
      if (b.transposed || panel.columns % register_width != 0) panel = pack(panel, memory);
      tiles(columns_of(a, k, k_end), panel, columns_of(c, j, j_end),
            {factor, accumulate || k > 0, bias ? bias + j : nullptr}, prefetch);
    }
  }
}

}  // namespace

bool prefers_packed(const Matrix<const float>& a, const Matrix<const float>& b,
                    const Matrix<float>& c) {
  // With narrower registers the libraries have less overhead, or overtake at smaller sizes.
  if (register_width >= 8 && b.transposed) return true;
  return c.rows * c.columns * a.columns <= Index{1} << tuning::packed_up_to(register_width);
}

void packed_gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
                 float factor, bool accumulate, const float* bias) {
  // Strips of c fit half of the second-level cache. They only pay where c doesn't fit the
  // third-level cache, since the first panel of each strip isn't prefetched.
  if (parts_of(a) == 1 || c.rows * c.columns < tuning::beyond_third_level)
    return multiply_strip(a, b, c, factor, accumulate, bias);
  const Index panels = std::max(tuning::half_of_second_level / (c.rows * panel_columns), Index{1});
  const Index together = panels * panel_columns;
  for (Index j = 0; j < c.columns; j += together) {
    const Index end = std::min(j + together, c.columns);
    multiply_strip(a, columns_of(b, j, end), columns_of(c, j, end), factor, accumulate,
                   bias ? bias + j : nullptr);
  }
}

}  // namespace tapehead
