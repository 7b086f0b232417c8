// Layer norm and RMS norm along rows, forward and backward.
#include "functions/numbers.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

/// The normalisation of a row: n = (x - shift) * scale + offset. `shift` is the mean rounded to T.
/// `offset` corrects the rounding error of `shift`, so that a row far from zero keeps its
/// precision.
template <class T>
struct RowStatistics {
  T shift, scale, offset;

  [[gnu::always_inline]] RowStatistics(const T* x, Index n, Centre centre, double epsilon,
                                       bool again = false) {
    const T count = static_cast<T>(n);
    shift = centre == Centre::mean ? sum_row(x, n) / count : 0;
    const Vec<T> coarse(shift);
    const auto distance = [&](auto v) { return v - coarse; };
    const T rest = centre == Centre::mean ? sum_row(n, distance, x) / count : 0;
    // Sums the squared distances from the rounded mean, and later subtracts the square of the
    // mean's rounding error, `rest`.
    const auto square = [&](auto v) { return distance(v) * distance(v); };
    const T spread = std::max(sum_row(n, square, x) / count - rest * rest, T{0});
    scale = 1 / std::sqrt(spread + static_cast<T>(epsilon));
    offset = -rest * scale;
    if (!std::isfinite(spread) && !again) measure_scaled(x, n, centre);
  }

  /// Computes the statistics of a row whose squares overflow, after scaling the row by a power of
  /// two. Epsilon is negligible for such a row.
  [[gnu::noinline]] void measure_scaled(const T* x, Index n, Centre centre) {
    constexpr T tiny = sizeof(T) == 4 ? T{0x1p-80} : T{0x1p-528};
    std::vector<T> scaled(static_cast<std::size_t>(n));
    std::transform(x, x + n, scaled.begin(), [](T v) { return v * tiny; });
    *this = RowStatistics(scaled.data(), n, centre, 0, true);
    shift /= tiny;
    scale *= tiny;
  }

  explicit RowStatistics(const T* from) : shift(from[0]), scale(from[1]), offset(from[2]) {}
  void store(T* to) const {
    to[0] = shift;
    to[1] = scale;
    to[2] = offset;
  }

  /// Returns the function that normalises a register of x.
  auto normalise() const {
    return [a = Vec<T>(shift), b = Vec<T>(scale), c = Vec<T>(offset)](auto v) {
      return fma(v - a, b, c);
    };
  }
};

/// Calls f for each group of columns in each line, with the offset of the group in x and the offset
/// of its gain.
template <class F>
void each_part(const NormRows& rows, F f) {
  for (Index line = rows.first; line < rows.first + rows.lines; ++line)
    for (Index head = 0; head < rows.heads; ++head)
      f(line * rows.columns + head * rows.width, head * rows.width);
}
template <class T>
void copy_remaining_columns(const NormRows& rows, const T* from, T* to) {
  const Index done = rows.heads * rows.width;
  for (Index line = rows.first; done < rows.columns && line < rows.first + rows.lines; ++line)
    std::copy_n(from + line * rows.columns + done, rows.columns - done,
                to + line * rows.columns + done);
}

/// Calls work(width). For rows of 1, 2, 4 or 8 registers, `width` is a compile-time constant, so
/// inlined code has no loops and reads a row once.
template <class T, Index registers = 8, class Work>
void with_width(Index width, const Work& work) {
  constexpr Index constant = registers * lanes<T>;
  if (width == constant) return work(std::integral_constant<Index, constant>{});
  if constexpr (registers > 1) return with_width<T, registers / 2>(width, work);
  work(width);
}

template <class T>
void norm_forward(const NormRows& rows, Centre centre, double epsilon, const T* x, const T* gain,
                  const T* bias, T* statistics, T* y) {
  statistics += rows.first * rows.heads * NormRows::statistics;
  with_width<T>(rows.width, [&](auto width) {
    each_part(
        rows, [&](Index at, Index column) __attribute__((always_inline)) {
          const RowStatistics<T> row(x + at, width, centre, epsilon);
          row.store(statistics);
          statistics += NormRows::statistics;
          const auto n = row.normalise();
          const auto scaled = [&](auto v, auto g, auto b) { return fma(n(v), g, b); };
          map_row(y + at, width, scaled, x + at, gain + column, bias + column);
        });
  });
  copy_remaining_columns(rows, x, y);
}

template <class T>
void norm_backward(const NormRows& rows, Centre centre, const T* x, const T* gain, const T* dy,
                   const T* statistics, T* dx, T* dgain, T* dbias) {
  statistics += rows.first * rows.heads * NormRows::statistics;
  const T count = static_cast<T>(rows.width);
  with_width<T>(rows.width, [&](auto width) {
    each_part(
        rows, [&](Index at, Index column) __attribute__((always_inline)) {
          const RowStatistics<T> row(statistics);
          statistics += NormRows::statistics;
          const auto n = row.normalise();
          const T *in = x + at, *out = dy + at, *factor = gain + column;
          if (dx) {
            const auto dn = [](auto d, auto g) { return d * g; };
            const auto dn_n = [&](auto d, auto g, auto v) { return d * g * n(v); };
            const Vec<T> scale(row.scale), slope(sum_row(width, dn_n, out, factor, in) / count);
            const Vec<T> mean(centre == Centre::mean ? sum_row(width, dn, out, factor) / count : 0);
            const auto backward = [&](auto d, auto g, auto v) {
              return (fma(d, g, neg(mean)) - n(v) * slope) * scale;
            };
            map_row(dx + at, width, backward, out, factor, in);
          }
          if (dgain) {
            const auto add = [&](auto sum, auto d, auto v) { return fma(d, n(v), sum); };
            map_row(dgain + column, width, add, static_cast<const T*>(dgain + column), out, in);
          }
          if (dbias) add_row(dbias + column, width, out);
        });
  });
  if (dx) copy_remaining_columns(rows, dy, dx);
}

}  // namespace

template <class T>
void add_norms(Kernels<T>& table) {
  table.norm_forward = norm_forward<T>;
  table.norm_backward = norm_backward<T>;
}
template void add_norms(Kernels<float>&);
template void add_norms(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
