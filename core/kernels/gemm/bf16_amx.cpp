// Products of matrices rounded to bf16, on the AMX unit: both operands are packed into tiles of 16
// rows of 32 elements along the inner axis. A block of c is 2 x 2 tiles.
#include "../../runtime/memory.hpp"
#include "bf16_pack.hpp"

#include <memory>

#ifdef TAPEHEAD_BF16
namespace tapehead {
namespace {

constexpr Index tile_size = tile_rows * tile_inner;

/// All tiles of m (rows, inner). The tiles of a band of 16 rows are contiguous; the number of bands
/// is even.
struct Packed {
  Index bands, depth;
  std::shared_ptr<std::byte> memory;

  Packed(const Matrix<const float>& m, bool across)
      : bands((m.rows + 31) / 32 * 2),
        depth((m.columns + tile_inner - 1) / tile_inner),
        memory(allocate(bands * depth * tile_size * sizeof(Half))) {
    pack(m, bands * tile_rows, depth * tile_inner, across, tile_inner,
         [&](Index row, Index k) { return tile(row / tile_rows, k / tile_inner); });
  }
  Half* tile(Index band, Index k) const {
    return reinterpret_cast<Half*>(memory.get()) + (band * depth + k) * tile_size;
  }
};

/// block (32, 32) = two bands of a times two bands of b.
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

/// Stores the rows and columns of the block that lie in c.
TAPEHEAD_BF16 void store_block(const float* block, const Matrix<float>& c, Index row, Index column,
                               const Epilogue<float>& epilogue) {
  for (Index i = row; i < std::min(row + 32, c.rows); ++i, block += 32)
    for (Index half = 0; half < 2; ++half) {
      const __mmask16 lanes = first_lanes(c.columns - column - 16 * half);
      float* to = c.data + i * c.stride + column + 16 * half;
      const float* start = epilogue.accumulate ? to
                           : epilogue.bias     ? epilogue.bias + column + 16 * half
                                               : nullptr;
      __m512 y = _mm512_mul_ps(_mm512_load_ps(block + 16 * half), _mm512_set1_ps(epilogue.factor));
      if (start) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(lanes, start));
      if (lanes) _mm512_mask_storeu_ps(to, lanes, y);
    }
}

/// All eight tiles are 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

}  // namespace

TAPEHEAD_BF16 void gemm_bf16_amx(const Matrix<const float>& a, const Matrix<const float>& b,
                                 const Matrix<float>& c, const Epilogue<float>& epilogue) {
  const Packed left(a, false), right(b.t(), true);
  alignas(64) float block[32 * 32];
  const TileConfig config;
  _tile_loadconfig(&config);
  for (Index j = 0; j < right.bands; j += 2)
    for (Index i = 0; i < left.bands; i += 2) {
      multiply_amx(left, right, i, j, block);
      store_block(block, c, i * tile_rows, j * tile_rows, epilogue);
    }
  _tile_release();
}

}  // namespace tapehead
#endif
