// Products of matrices rounded to bf16. Both operands are packed into tiles of 16 rows of 32
// numbers along the inner axis; pairs of neighbours there are what the processor multiplies and
// adds at once. A block of c is 2 x 2 tiles.
#include <tapehead/core/bf16.hpp>
#include <tapehead/core/memory.hpp>

#include <algorithm>
#include <memory>

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

// The build may be for an older processor; these functions run only where they can.
#define TAPEHEAD_BF16 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))

namespace tapehead {
namespace {

constexpr Index tile_rows = 16, tile_inner = 32, tile_size = tile_rows * tile_inner;
using Half = std::uint16_t;

/// The system lends the tiles' registers to those who ask.
bool ask_for_amx() {
  constexpr long request_permission = 0x1023, tile_data = 18;
  return __builtin_cpu_supports("amx-bf16") && __builtin_cpu_supports("amx-tile") &&
         syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

/// A 16 x 16 matrix of 32-bit pairs, transposed.
TAPEHEAD_BF16 void transpose_pairs(__m512i* r) {
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

TAPEHEAD_BF16 __mmask16 first_lanes(Index n) {
  return static_cast<__mmask16>((1u << std::clamp<Index>(n, 0, 16)) - 1);
}

/// Rounds one tile of m (rows, inner), from (row, k) on; what lies outside m is zero. A tile holds
/// rows of pairs, or, `across`, pairs of rows: 16 rows of 16 pairs either way.
TAPEHEAD_BF16 void pack_tile(const Matrix<const float>& m, Index row, Index k, bool across,
                             Half* tile) {
  __m512i r[16];
  for (Index i = 0; i < 16; ++i) {
    __m512 low = _mm512_setzero_ps(), high = low;
    if (!m.transposed && row + i < m.rows) {
      const float* x = m.data + (row + i) * m.stride + k;
      low = _mm512_maskz_loadu_ps(first_lanes(m.columns - k), x);
      high = _mm512_maskz_loadu_ps(first_lanes(m.columns - k - 16), x + 16);
    } else if (m.transposed) {
      const float* x = m.data + (k + 2 * i) * m.stride + row;
      const __mmask16 lanes = first_lanes(m.rows - row);
      if (k + 2 * i < m.columns) low = _mm512_maskz_loadu_ps(lanes, x);
      if (k + 2 * i + 1 < m.columns) high = _mm512_maskz_loadu_ps(lanes, x + m.stride);
    }
    const __m512i halves = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
    if (m.transposed) {  // neighbours along the inner axis came from two rows
      const __m512i even = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(halves));
      const __m512i odd = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(halves, 1));
      r[i] = _mm512_or_si512(even, _mm512_slli_epi32(odd, 16));
    } else {
      r[i] = halves;
    }
  }
  if (across != m.transposed) transpose_pairs(r);
  for (Index i = 0; i < 16; ++i) _mm512_store_si512(tile + i * tile_inner, r[i]);
}

/// All tiles of m (rows, inner), those of a band of 16 rows behind one another; the number of bands
/// is even.
struct Packed {
  Index bands, depth;
  std::shared_ptr<std::byte> memory;

  Packed(const Matrix<const float>& m, bool across)
      : bands((m.rows + 31) / 32 * 2),
        depth((m.columns + tile_inner - 1) / tile_inner),
        memory(allocate(static_cast<std::size_t>(bands * depth * tile_size) * sizeof(Half))) {
    for (Index band = 0; band < bands; ++band)
      for (Index k = 0; k < depth; ++k)
        pack_tile(m, band * tile_rows, k * tile_inner, across, tile(band, k));
  }
  Half* tile(Index band, Index k) const {
    return reinterpret_cast<Half*>(memory.get()) + (band * depth + k) * tile_size;
  }
};

/// block (32, 32) = two bands of a times two of b.
TAPEHEAD_BF16 void multiply_amx(const Packed& a, const Packed& b, Index i, Index j, float* block) {
  constexpr int bytes = tile_inner * sizeof(Half), row = 32 * sizeof(float);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (Index k = 0; k < a.depth; ++k) {
    _tile_loadd(4, a.tile(i, k), bytes);
    _tile_loadd(5, a.tile(i + 1, k), bytes);
    _tile_loadd(6, b.tile(j, k), bytes);
    _tile_loadd(7, b.tile(j + 1, k), bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, block, row);
  _tile_stored(1, block + 16, row);
  _tile_stored(2, block + 16 * 32, row);
  _tile_stored(3, block + 16 * 32 + 16, row);
}

TAPEHEAD_BF16 void multiply_avx512(const Packed& a, const Packed& b, Index i, Index j,
                                   float* block) {
  constexpr Index together = 8;  // rows, by two tiles of columns: 16 sums in registers
  for (Index row = 0; row < 32; row += together) {
    __m512 sums[together][2];
    for (auto& sum : sums) sum[0] = sum[1] = _mm512_setzero_ps();
    for (Index k = 0; k < a.depth; ++k) {
      const auto* left = reinterpret_cast<const int*>(a.tile(i + row / 16, k)) + row % 16 * 16;
      for (Index pair = 0; pair < 16; ++pair) {
        const auto right = [&](Index band) TAPEHEAD_BF16 {
          return reinterpret_cast<__m512bh>(
              _mm512_load_si512(b.tile(j + band, k) + pair * tile_inner));
        };
        const __m512bh first = right(0), second = right(1);
        for (Index r = 0; r < together; ++r) {
          const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(left[r * 16 + pair]));
          sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, first);
          sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, second);
        }
      }
    }
    for (Index r = 0; r < together; ++r)
      for (Index half = 0; half < 2; ++half)
        _mm512_store_ps(block + (row + r) * 32 + 16 * half, sums[r][half]);
  }
}

/// Rows and columns of the block that lie in c.
TAPEHEAD_BF16 void store_block(const float* block, const Matrix<float>& c, Index row, Index column,
                               float factor, bool accumulate) {
  for (Index i = row; i < std::min(row + 32, c.rows); ++i, block += 32)
    for (Index half = 0; half < 2; ++half) {
      const __mmask16 lanes = first_lanes(c.columns - column - 16 * half);
      float* to = c.data + i * c.stride + column + 16 * half;
      __m512 y = _mm512_mul_ps(_mm512_load_ps(block + 16 * half), _mm512_set1_ps(factor));
      if (accumulate) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(lanes, to));
      if (lanes) _mm512_mask_storeu_ps(to, lanes, y);
    }
}

/// All eight tiles are 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

TAPEHEAD_BF16 void multiply(const Packed& a, const Packed& b, const Matrix<float>& c, float factor,
                            bool accumulate, bool amx) {
  alignas(64) float block[32 * 32];
  const TileConfig config;
  if (amx) _tile_loadconfig(&config);
  for (Index j = 0; j < b.bands; j += 2)
    for (Index i = 0; i < a.bands; i += 2) {
      amx ? multiply_amx(a, b, i, j, block) : multiply_avx512(a, b, i, j, block);
      store_block(block, c, i * tile_rows, j * tile_rows, factor, accumulate);
    }
  if (amx) _tile_release();
}

}  // namespace

Bf16Unit bf16_unit() {
  static const Bf16Unit found = !__builtin_cpu_supports("avx512bf16") ? Bf16Unit::none
                                : ask_for_amx()                       ? Bf16Unit::amx
                                                                      : Bf16Unit::avx512;
  return found;
}

void gemm_bf16(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
               bool accumulate, Bf16Unit unit) {
  multiply(Packed(a, false), Packed(b.t(), true), c, factor, accumulate, unit == Bf16Unit::amx);
}

}  // namespace tapehead

#else

namespace tapehead {

Bf16Unit bf16_unit() { return Bf16Unit::none; }
void gemm_bf16(Matrix<const float>, Matrix<const float>, Matrix<float>, float, bool, Bf16Unit) {}

}  // namespace tapehead

#endif
