// Small products: b is laid out in rows of whole registers once, then blocks of c stay in registers
// while its inner axis is walked.
#include <tapehead/core/simd.hpp>
#include <tapehead/core/small_gemm.hpp>

namespace tapehead {
namespace {

constexpr Index width = lanes<float>;

/// Rows of b (inner, columns), padded with zeros to whole registers.
void pack(const Matrix<const float>& b, Index stride, float* panel) {
  for (Index k = 0; k < b.rows; ++k)
    for (Index j = 0; j < stride; j += width) {
      const Index part = std::clamp<Index>(b.columns - j, 0, width);
      float* const to = panel + k * stride + j;
      if (!b.transposed) {
        (part > 0 ? load_part(b.data + k * b.stride + j, part) : Vec<float>(0.f))
            .store_unaligned(to);
        continue;
      }
      for (Index i = 0; i < width; ++i) to[i] = i < part ? b.data[(j + i) * b.stride + k] : 0.f;
    }
}

/// Rows `row` to row + count - 1 of c, from `column` on: `registers` registers of each.
template <Index count, Index registers>
void block(const Matrix<const float>& a, const float* panel, Index stride, const Matrix<float>& c,
           Index row, Index column, float factor, bool accumulate) {
  const Index along = a.transposed ? a.stride : 1, down = a.transposed ? 1 : a.stride;
  const float* left = a.data + row * down;
  Vec<float> sums[count][registers];
  for (auto& sum : sums) std::fill_n(sum, registers, Vec<float>(0.f));
  for (Index k = 0; k < a.columns; ++k, left += along) {
    Vec<float> right[registers];
    for (Index r = 0; r < registers; ++r)
      right[r] = Vec<float>::load_unaligned(panel + k * stride + column + r * width);
    for (Index i = 0; i < count; ++i) {
      const Vec<float> x(left[i * down]);
      for (Index r = 0; r < registers; ++r) sums[i][r] = xsimd::fma(x, right[r], sums[i][r]);
    }
  }
  const Vec<float> by(factor);
  for (Index i = 0; i < count; ++i)
    for (Index r = 0; r < registers; ++r) {
      const Index at = column + r * width, part = std::min(width, c.columns - at);
      if (part <= 0) continue;
      float* const to = c.data + (row + i) * c.stride + at;
      const Vec<float> y = sums[i][r] * by;
      store_part(to, part, accumulate ? y + load_part(to, part) : y);
    }
}

template <Index registers>
void columns(const Matrix<const float>& a, const float* panel, Index stride, const Matrix<float>& c,
             Index column, float factor, bool accumulate) {
  constexpr Index together = 16 / registers;  // as many sums as registers leave room for
  Index row = 0;
  for (; row + together <= c.rows; row += together)
    block<together, registers>(a, panel, stride, c, row, column, factor, accumulate);
  for (; row < c.rows; ++row)
    block<1, registers>(a, panel, stride, c, row, column, factor, accumulate);
}

}  // namespace

void gemm_small(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate) {
  alignas(64) float panel[small_side * small_side];
  const Index stride = (c.columns + width - 1) / width * width;
  pack(b, stride, panel);
  Index column = 0;
  for (; column + 2 * width <= stride; column += 2 * width)
    columns<2>(a, panel, stride, c, column, factor, accumulate);
  if (column < stride) columns<1>(a, panel, stride, c, column, factor, accumulate);
}

}  // namespace tapehead
