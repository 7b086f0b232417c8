#pragma once
// How matrices are rounded to bf16 and packed for the units that multiply it. These units multiply
// and add pairs of adjacent elements along the inner axis.
#include "../tuning.hpp"
#include "gemm.hpp"

#include <algorithm>

#ifdef TAPEHEAD_LEVEL_v4
#include <immintrin.h>

// The build may target an older processor; these functions only run where they are supported.
#define TAPEHEAD_BF16 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))

namespace tapehead {

constexpr Index tile_rows = 16, tile_inner = 32;
using Half = std::uint16_t;

/// Transposes a 16 x 16 matrix of 32-bit pairs.
TAPEHEAD_BF16 inline void transpose_pairs(__m512i* r) {
  __m512i t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      r[i + 2 * j] = _mm512_unpacklo_epi64(t[i + j], t[i + 2 + j]);
      r[i + 2 * j + 1] = _mm512_unpackhi_epi64(t[i + j], t[i + 2 + j]);
    }
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 8; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
  }
}

TAPEHEAD_BF16 inline __mmask16 first_lanes(Index n) {
  return static_cast<__mmask16>((1u << std::clamp<Index>(n, 0, 16)) - 1);
}

/// 32 elements, rounded to bf16.
TAPEHEAD_BF16 inline __m512i rounded(const float* low, __mmask16 lanes, const float* high,
                                     __mmask16 more) {
  return reinterpret_cast<__m512i>(
      _mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(more, high), _mm512_maskz_loadu_ps(lanes, low)));
}

/// Rounds one tile of m (rows, inner), from (row, k) on; elements outside m are zero. The tile
/// holds rows of pairs or, with `across`, pairs of rows. Either way it has 16 rows of 16 pairs,
/// `apart` elements from row to row.
TAPEHEAD_BF16 inline void pack_tile(const Matrix<const float>& m, Index row, Index k, bool across,
                                    Half* tile, Index apart) {
  const Index rows = m.rows - row, inner = m.columns - k;  // that are left
  __m512i r[16];
  if (m.transposed) {  // adjacent elements along the inner axis come from two rows
    const __m512i interleaved =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __mmask16 lanes = first_lanes(rows), none = 0;
    for (Index i = 0; i < 16; ++i) {
      const float *x = m.data + (k + 2 * i) * m.stride + row, *next = x + m.stride;
      r[i] = _mm512_permutexvar_epi16(interleaved, rounded(x, 2 * i < inner ? lanes : none, next,
                                                           2 * i + 1 < inner ? lanes : none));
    }
  } else {
    const __mmask16 first = first_lanes(inner), second = first_lanes(inner - 16), none = 0;
    for (Index i = 0; i < 16; ++i) {
      const float* x = m.data + (row + i) * m.stride + k;
      r[i] = rounded(x, i < rows ? first : none, x + 16, i < rows ? second : none);
    }
  }
  if (across != m.transposed) transpose_pairs(r);
  for (Index i = 0; i < 16; ++i) _mm512_storeu_si512(tile + i * apart, r[i]);
}

/// Packs all tiles of m, (rows, inner) with the padding of the last ones; where(row, k) is where
/// the tile that begins there is written. Memory is read in the order in which it lies, since no
/// multiplication runs meanwhile that could hide the latency.
template <class Where>
TAPEHEAD_BF16 void pack(const Matrix<const float>& m, Index rows, Index inner, bool across,
                        Index apart, const Where& where) {
  if (m.transposed) {
    for (Index k = 0; k < inner; k += tile_inner)
      for (Index row = 0; row < rows; row += tile_rows)
        pack_tile(m, row, k, across, where(row, k), apart);
  } else if (across) {
    for (Index row = 0; row < rows; row += tile_rows)
      for (Index k = 0; k < inner; k += tile_inner)
        pack_tile(m, row, k, across, where(row, k), apart);
  } else {
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < inner; k += tile_inner) {
        const Index left = row < m.rows ? m.columns - k : 0;
        const float* x = m.data + row * m.stride + k;
        Half* const to = where(row / tile_rows * tile_rows, k) + row % tile_rows * apart;
        _mm512_storeu_si512(to, rounded(x, first_lanes(left), x + 16, first_lanes(left - 16)));
      }
  }
}

/// As gemm_bf16, each on its unit.
void gemm_bf16_amx(const Matrix<const float>& a, const Matrix<const float>& b,
                   const Matrix<float>& c, const Epilogue<float>& epilogue);
void gemm_bf16_avx512(const Matrix<const float>& a, const Matrix<const float>& b,
                      const Matrix<float>& c, const Epilogue<float>& epilogue);

}  // namespace tapehead
#endif
