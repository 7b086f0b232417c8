#include "functions/angles.hpp"
#include "functions/logarithms.hpp"
#include "table.hpp"

#include <vector>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

/// Returns a table of angles: the cosines for each position and pair, (time, half), followed by the
/// sines. Each thread caches its last table, because every layer uses the same one.
template <class T>
const T* rotations(Index time, Index half, Index first, double base) {
  struct Table {
    Index time = -1, half = 0, first = 0;
    double base = 0;
    std::vector<T> values;
  };
  thread_local Table table;
  if (table.time == time && table.half == half && table.first == first && table.base == base)
    return table.values.data();
  table = {time, half, first, base, std::vector<T>(2 * time * half)};
  T *cosine = table.values.data(), *sine = cosine + time * half;
  for (Index t = 0; t < time; ++t)
    for (Index i = 0; i < half; ++i) {
      const double exponent = -static_cast<double>(i) / static_cast<double>(half);
      const double angle = static_cast<double>(first + t) * kernel::pow(base, exponent);
      *cosine++ = static_cast<T>(kernel::cos(angle));
      *sine++ = static_cast<T>(kernel::sin(angle));
    }
  return table.values.data();
}

template <class T>
void rotary_rows(const RotaryRows& rows, const T* x, T* y) {
  const auto [batch, time, columns, heads, width, first, base, back] = rows;
  const Index half = width / 2;
  const T* const table = rotations<T>(time, half, first, base);
  const Vec<T> sign(back ? T{-1} : T{1});
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < time; ++t, x += columns, y += columns) {
      const T *const c = table + t * half, *const s = c + time * half;
      for (Index h = 0; h < heads; ++h) {
        const T *const u = x + h * width, *const v = u + half;
        T* const rotated = y + h * width;
        map_row(
            rotated, half,
            [&](auto a, auto o, auto cosine, auto sine) {
              return fma(a, cosine, neg(o * (sign * sine)));
            },
            u, v, c, s);
        map_row(
            rotated + half, half,
            [&](auto a, auto o, auto cosine, auto sine) {
              return fma(o, cosine, a * (sign * sine));
            },
            u, v, c, s);
      }
      std::copy(x + heads * width, x + columns, y + heads * width);
    }
}

}  // namespace

template <class T>
void add_rotary(Kernels<T>& table) {
  table.rotary = rotary_rows<T>;
}
template void add_rotary(Kernels<float>&);
template void add_rotary(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
