// Products of matrices rounded to bf16, by AVX-512's dot products of pairs: like packed_gemm,
// except that both operands are packed, since rounding them costs as much anyway.
#include "../../runtime/memory.hpp"
#include "bf16_pack.hpp"
#include "blocking.hpp"
#include "microkernel.hpp"

#ifdef TAPEHEAD_BF16
namespace tapehead {
namespace {

constexpr Index zmm_across = 4, zmm_down = 6;  // of a tile: registers of 16 elements, and rows
constexpr Index pairs_across = 16 * zmm_across;
using tuning::bf16_inner;
using tuning::bf16_rows;

/// c (rows, columns) from the same rows of a, (rows, depth), and a panel of (depth / 2, columns)
/// pairs.
template <Index rows, Index registers>
TAPEHEAD_BF16 void tile(const Half* a, const Half* panel, Index depth, const Matrix<float>& c,
                        const Epilogue<float>& epilogue, kernel::Prefetch<float>& prefetch) {
  __m512 sums[rows][registers];
#pragma GCC unroll 8
  for (Index i = 0; i < rows; ++i)
#pragma GCC unroll 8
    for (Index r = 0; r < registers; ++r) sums[i][r] = _mm512_setzero_ps();
  const Half *left = a, *right = panel;
  float* written = c.data;
  const Index stretch = (depth / 2 + rows - 1) / rows;
  for (Index row = 0, pair = 0; row < rows; ++row, written += c.stride) {
#pragma GCC unroll 8
    for (Index r = 0; r < registers; ++r)
      __builtin_prefetch(written + 16 * r, 1, kernel::first_level);
    prefetch.next();
    for (const Index end = std::min(pair + stretch, depth / 2); pair < end; ++pair) {
      __m512bh b[registers];
#pragma GCC unroll 8
      for (Index r = 0; r < registers; ++r)
        b[r] = reinterpret_cast<__m512bh>(_mm512_load_si512(right + 32 * r));
#pragma GCC unroll 8
      for (Index i = 0; i < rows; ++i) {
        int both;
        __builtin_memcpy(&both, left + i * depth, sizeof both);
        const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
#pragma GCC unroll 8
        for (Index r = 0; r < registers; ++r) sums[i][r] = _mm512_dpbf16_ps(sums[i][r], x, b[r]);
      }
      left += 2;
      right += 2 * pairs_across;
    }
  }
  const __m512 factor = _mm512_set1_ps(epilogue.factor);
#pragma GCC unroll 8
  for (Index r = 0; r < registers; ++r) {
    const __mmask16 lanes = first_lanes(c.columns - 16 * r);
    const __m512 bias =
        epilogue.bias ? _mm512_maskz_loadu_ps(lanes, epilogue.bias + 16 * r) : _mm512_setzero_ps();
#pragma GCC unroll 8
    for (Index i = 0; i < rows; ++i) {
      float* const to = c.data + i * c.stride + 16 * r;
      const __m512 start = epilogue.accumulate ? _mm512_maskz_loadu_ps(lanes, to) : bias;
      _mm512_mask_storeu_ps(to, lanes, _mm512_fmadd_ps(sums[i][r], factor, start));
    }
  }
}

/// Multiplies all packed rows of a by a panel.
void tiles(const Half* a, const Half* panel, Index depth, const Matrix<float>& c,
           const Epilogue<float>& epilogue, kernel::Prefetch<float>& prefetch) {
  kernel::with_registers<zmm_across>(c.columns, 16, [&](auto registers) {
    kernel::each_tile<zmm_down>(c.rows, [&](Index row, auto rows) {
      tile<rows, registers>(a + row * depth, panel, depth, rows_of(c, row, row + rows), epilogue,
                            prefetch);
    });
  });
}

}  // namespace

void gemm_bf16_avx512(const Matrix<const float>& a, const Matrix<const float>& b,
                      const Matrix<float>& c, const Epilogue<float>& epilogue) {
  const auto round_up = [](Index n, Index of) { return (n + of - 1) / of * of; };
  const Index parts = (a.columns + bf16_inner - 1) / bf16_inner;
  const Index depth = round_up((a.columns + parts - 1) / parts, tile_inner);
  // Kept between calls: packing into memory that is still in the second-level cache takes half as
  // long.
  thread_local const auto memory = allocate(bf16_inner * (bf16_rows + pairs_across) * sizeof(Half));
  Half* const panel = reinterpret_cast<Half*>(memory.get());  // (depth / 2, columns) pairs
  Half* const left = panel + depth * pairs_across;            // (rows, depth)
  const kernel::Panels<float> panels{b, depth, pairs_across};
  for (Index i = 0; i < c.rows; i += bf16_rows) {
    const Index i_end = std::min(i + bf16_rows, c.rows);
    for (Index k = 0; k < a.columns; k += depth) {
      const Index k_end = std::min(k + depth, a.columns);
      const auto rows = columns_of(rows_of(a, i, i_end), k, k_end);
      pack(rows, rows.rows, depth, false, depth,
           [&](Index row, Index at) { return left + row * depth + at; });
      for (Index j = 0; j < c.columns; j += pairs_across) {
        const Index j_end = std::min(j + pairs_across, c.columns);
        const auto columns = panels.at(k, j).t();
        pack(columns, columns.rows, depth, true, 2 * pairs_across,
             [&](Index r, Index at) { return panel + at * pairs_across + 2 * r; });
        kernel::Prefetch<float> prefetch(panels.after(k, j), i_end - i);
        tiles(left, panel, depth, columns_of(rows_of(c, i, i_end), j, j_end),
              {epilogue.factor, epilogue.accumulate || k > 0,
               epilogue.bias ? epilogue.bias + j : nullptr},
              prefetch);
      }
    }
  }
}

}  // namespace tapehead
#endif
