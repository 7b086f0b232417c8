// Fused multiply-adds for WebAssembly without relaxed SIMD. The modules export them, so that the
// web page finds their calls.
#ifdef __wasm_simd128__
#include "functions/fused.hpp"

namespace tapehead::kernel {

v128_t fma_f32x4(v128_t a, v128_t b, v128_t c) noexcept {
  const v128_t cut = wasm_i64x2_const((1 << 29) - 1, (1 << 29) - 1),
               middle = wasm_i64x2_const(1 << 28, 1 << 28),
               least = wasm_f64x2_const(0x1p-126, 0x1p-126), zero = wasm_f64x2_const(0, 0);
  const auto high = [](v128_t x) { return wasm_i32x4_shuffle(x, x, 2, 3, 2, 3); };
  const auto sum = [](v128_t x, v128_t y, v128_t z) {  // f64 sum of the lower two lanes
    const v128_t product =
        wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(x), wasm_f64x2_promote_low_f32x4(y));
    return wasm_f64x2_add(product, wasm_f64x2_promote_low_f32x4(z));
  };
  const auto rounds_twice = [&](v128_t s) {  // the same condition as in `fused`
    const v128_t tie = wasm_i64x2_eq(wasm_v128_and(s, cut), middle);
    const v128_t tiny = wasm_f64x2_lt(wasm_f64x2_abs(s), least);
    return wasm_v128_or(tie, wasm_v128_and(tiny, wasm_f64x2_ne(s, zero)));
  };
  const v128_t first = sum(a, b, c), second = sum(high(a), high(b), high(c));
  if (__builtin_expect(wasm_v128_any_true(wasm_v128_or(rounds_twice(first), rounds_twice(second))),
                       0)) {
    float x[4], y[4], z[4];
    wasm_v128_store(x, a);
    wasm_v128_store(y, b);
    wasm_v128_store(z, c);
    for (int lane = 0; lane < 4; ++lane) z[lane] = fused(x[lane], y[lane], z[lane]);
    return wasm_v128_load(z);
  }
  return wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(first),
                            wasm_f32x4_demote_f64x2_zero(second), 0, 1, 4, 5);
}

v128_t fma_f64x2(v128_t a, v128_t b, v128_t c) noexcept {
  const auto lane = [](double x, double y, double z) { return fused(x, y, z); };
  return wasm_f64x2_make(lane(wasm_f64x2_extract_lane(a, 0), wasm_f64x2_extract_lane(b, 0),
                              wasm_f64x2_extract_lane(c, 0)),
                         lane(wasm_f64x2_extract_lane(a, 1), wasm_f64x2_extract_lane(b, 1),
                              wasm_f64x2_extract_lane(c, 1)));
}

}  // namespace tapehead::kernel
#endif
