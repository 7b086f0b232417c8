// Matmul (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication"). b is split
// into panels a few registers wide, which stay in the L1 and L2 caches. Tiles of c stay in
// registers during the loop over the rows of a panel. The terms of an element of c are added in the
// order of the inner axis, in parts that depend only on the length of this axis.
#include "../../runtime/memory.hpp"
#include "../table.hpp"
#include "microkernel.hpp"
#include "multiply.hpp"

#include <cstring>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

/// The split of an element's terms into parts of equal length; the last part may be shorter. A sum
/// without terms has one part.
struct TermParts {
  explicit TermParts(Index terms)
      : count(std::max<Index>((terms + pinned::panel_rows - 1) / pinned::panel_rows, 1)),
        length((terms + count - 1) / count) {}

  Index count, length;
};

/// Copies a panel of b into rows of whole registers, padded with zeros.
template <class T>
Matrix<const T> pack(const Matrix<const T>& b, T* panel) {
  constexpr Index width = lanes<T>, row = panel_columns<T>;
  const Index registers = (b.columns + width - 1) / width;
  if (!b.transposed) {
    for (Index k = 0; k < b.rows; ++k)
      for (Index r = 0; r < registers; ++r)
        load_partial(b.data + k * b.stride + r * width, std::min(width, b.columns - r * width))
            .store_aligned(panel + k * row + r * width);
    return {panel, b.rows, b.columns, row};
  }
  for (Index r = 0; r < registers; ++r)
    for (Index k = 0; k < b.rows; k += width) {
      const Index columns = std::min(width, b.columns - r * width);
      const Index rows = std::min(width, b.rows - k);
      Square<T> square;
      unrolled<width>([&](auto i) {
        const T* const from = b.data + (r * width + i) * b.stride + k;
        __builtin_prefetch(from + 2 * width);  // used two squares later
        square[i] = i < columns ? load_partial(from, rows) : Vec<T>(T{0});
      });
      transpose(square);
      unrolled<width>([&](auto i) {
        if (i < rows) square[i].store_aligned(panel + (k + i) * row + r * width);
      });
    }
  return {panel, b.rows, b.columns, row};
}

/// A block of rows of a. It is read in place, or packed tile by tile, which helps if a is
/// transposed and the elements of a tile are far apart in memory.
template <class T>
class LeftBlock {
 public:
  /// If `memory` isn't null, packs the rows of a into it. It must have room for whole tiles.
  LeftBlock(const Matrix<const T>& a, T* memory) : a_(a), packed_(memory) {
    const Index apart = tile_size(a.columns);
    for (Index k = 0; packed_ && k < a.columns; ++k) {
      const T* from = a.data + k * a.stride;
      T* to = packed_ + k * rows_down;
      // Stores whole registers. The lanes past the end of a tile's column are overwritten by the
      // next column, or are in the gap between tiles.
      for (Index left = a.rows; left > 0; left -= rows_down, from += rows_down, to += apart)
        for (Index i = 0; i < std::min(left, rows_down); i += lanes<T>)
          load_partial(from + i, std::min(left - i, lanes<T>)).store_unaligned(to + i);
    }
  }
  /// Returns the distance between packed tiles, in elements. An odd number of cache lines spreads
  /// the tiles over all sets of a cache.
  static Index tile_size(Index inner) {
    return (rows_down * inner / cache_line<T> | 1) * cache_line<T> + 2 * cache_line<T>;
  }
  /// Returns `rows` rows of the block, beginning with `row`. `row` must be a multiple of rows_down
  /// if the block is packed.
  Matrix<const T> operator()(Index row, Index rows) const {
    if (packed_)
      return {packed_ + row / rows_down * tile_size(a_.columns), rows, a_.columns, rows_down, true};
    return rows_of(a_, row, row + rows);
  }
  bool is_packed() const { return packed_; }

 private:
  Matrix<const T> a_;
  T* packed_;
};

#ifdef __wasm__
/// Calls `tile` without inlining it, because browsers compile short WebAssembly functions better.
/// The call uses a pointer, because the linker would inline a direct call.
template <Index rows, Index registers, class T>
[[gnu::noinline]] void called_tile(const Matrix<const T>& a, const Matrix<const T>& b,
                                   const Matrix<T>& c, const Epilogue<T>& epilogue,
                                   Prefetch<T>& prefetch) {
  tile<rows, registers>(a, b, c, epilogue, prefetch);
}
#endif

/// Multiplies a block of a by a panel of b. For a narrow panel, tiles have more rows, because more
/// independent sums hide the latency of additions.
template <class T>
void tiles(const LeftBlock<T>& a, const Matrix<const T>& panel, const Matrix<T>& c,
           const Epilogue<T>& epilogue, Prefetch<T>& prefetch) {
  with_registers<registers_across<T>>(c.columns, lanes<T>, [&](auto registers) {
    const auto multiply = [&](Index row, auto rows) {
      const auto left = a(row, rows);
      const auto to = rows_of(c, row, row + rows);
#ifdef __wasm__
      auto* call = &called_tile<rows, registers, T>;
      asm("" : "+r"(call));
      call(left, panel, to, epilogue, prefetch);
#else
      tile<rows, registers>(left, panel, to, epilogue, prefetch);
#endif
    };
    if (registers == registers_across<T> || a.is_packed())
      for_each_tile<rows_down>(c.rows, multiply);
    else
      for_each_tile<rows_down + 2>(c.rows, multiply);
  });
}

/// Returns whether to copy a panel of b, which is used for `rows` rows of c. Each tile of c reads
/// all rows of the panel, which is slow if they are spread over many memory pages.
template <class T>
bool worth_packing(const Matrix<const T>& panel, Index rows) {
  return panel.transposed || panel.columns % lanes<T> != 0 ||
         (rows >= tuning::min_panel_rows && panel.stride > panel_columns<T>);
}

}  // namespace

template <class T>
void multiply_tiles(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                    const Epilogue<T>& epilogue) {
  constexpr Index across = panel_columns<T>, size = static_cast<Index>(sizeof(T));
  const TermParts split(a.columns);
  const Index count = split.count, inner = split.length;
  // Each panel reads all rows of a. With many narrow panels, a is split into blocks that stay in
  // the L2 cache. With wide panels, the computation hides the time to read a again from memory.
  const bool packs = a.transposed && c.columns > tuning::piece_columns &&
                     (is_narrow<T> || a.stride >= tuning::min_pack_stride);
  const Index most = packs || is_narrow<T> ? tuning::block_rows : c.rows;
  const Index blocks = (c.rows + most - 1) / most;
  const Index rows = ((c.rows + blocks - 1) / blocks + rows_down - 1) / rows_down * rows_down;
  // Whether c needs no column blocks: the sums have one part, or c fits in the L3 cache. Otherwise
  // c is computed in blocks that stay in the L2 cache until all parts are added.
  const bool stays = count == 1 || (!packs && c.rows * c.columns < tuning::beyond_l3_elements);
  Index columns =
      stays ? c.columns : std::max<Index>(tuning::half_l2_elements / (rows * across), 1) * across;
  if (blocks > 1) columns = std::min(columns, tuning::strip_columns);

  thread_local const auto panel_memory = allocate(pinned::panel_rows * across * size);
  const auto strip_memory = blocks > 1 ? allocate(inner * (columns + across) * size) : nullptr;
  T* const strip = reinterpret_cast<T*>((blocks > 1 ? strip_memory : panel_memory).get());
  const auto block_memory =
      packs ? allocate(((rows + rows_down - 1) / rows_down) * LeftBlock<T>::tile_size(inner) * size)
            : nullptr;
  const Panels<T> panels{b, inner, across};
  for (Index first = 0; first < c.columns; first += columns) {
    const Index last = std::min(first + columns, c.columns);
    for (Index part = 0, k = 0; part < count; ++part, k += inner) {
      // Packs a panel for the first block of a, and reuses it for later blocks.
      const auto panel_at = [&](Index j, bool packed) {
        const Matrix<const T> panel = panels.at(k, j);
        if (!worth_packing(panel, c.rows)) return panel;
        T* const place = strip + (blocks > 1 ? (j - first) * inner : 0);
        if (!packed) return pack(panel, place);
        return Matrix<const T>{place, panel.rows, panel.columns, across};
      };
      for (Index i = 0; i < c.rows; i += rows) {
        const Index i_end = std::min(i + rows, c.rows);
        const LeftBlock<T> block(
            columns_of(rows_of(a, i, i_end), k, std::min(k + inner, a.columns)),
            reinterpret_cast<T*>(block_memory.get()));
        for (Index j = first; j < last; j += across) {
          const Index j_end = std::min(j + across, last);
          const Matrix<const T> next = j_end < last && i == 0 ? panels.at(k, j_end)
                                       : j_end < last         ? panel_at(j_end, true)
                                       : i_end < c.rows       ? panel_at(first, true)
                                       : part + 1 < count     ? panels.at(k + inner, first)
                                                              : panels.at(0, last);
          Prefetch<T> prefetch(next, i_end - i);
          tiles(block, panel_at(j, i > 0), columns_of(rows_of(c, i, i_end), j, j_end),
                {epilogue.factor, epilogue.accumulate || part > 0,
                 epilogue.bias && part == 0 ? epilogue.bias + j : nullptr},
                prefetch);
        }
      }
    }
  }
}

/// Loads n bf16 numbers into a register, and fills the other lanes with 0.
[[gnu::always_inline]] inline Vec<float> load_partial(const Bf16* x, Index n) {
  typedef std::uint16_t Halves __attribute__((vector_size(2 * lanes<float>)));
  typedef std::uint32_t Words __attribute__((vector_size(4 * lanes<float>)));
  Halves halves{};
  if (n == lanes<float>)
    std::memcpy(&halves, x, sizeof halves);
  else
    std::memcpy(&halves, x, sizeof(Bf16) * static_cast<std::size_t>(n));
  const Words words = __builtin_convertvector(halves, Words) << 16;
  Vec<float> numbers;
  std::memcpy(&numbers, &words, sizeof numbers);
  return numbers;
}

namespace {

/// Computes y = factor * x m^T + start for a vector x, as dot products of x with the rows of m. The
/// elements of m are T or bf16.
template <class T, class M>
void dot_rows(const T* x, const Matrix<const M>& m, T* y, T factor, const T* start) {
  const auto rows = [&](Index i, auto together, auto from_memory) {
    // Prefetches, because the hardware prefetcher alone doesn't use the full memory bandwidth.
    const M* const next = m.data + (i + together) * m.stride;
    LogicalRegister<T> sums[together];
    unrolled<together>([&](auto r) {
      unrolled<registers_per_logical<T>>([&](auto p) { sums[r][p] = Vec<T>(T{0}); });
    });
    for (Index k = 0; k < m.columns; k += logical_lanes<T>) {
      if constexpr (from_memory)
        for (Index r = 0; r < together; ++r)
          __builtin_prefetch(next + r * m.stride + k, 0, second_level);
      unrolled<registers_per_logical<T>>([&](auto p) {
        const Index at = k + p * lanes<T>, part = std::min(lanes<T>, m.columns - at);
        if (part <= 0) return;
        const Vec<T> v = load_partial(x + at, part);
        unrolled<together>([&](auto r) {
          sums[r][p] = fma(v, load_partial(m.data + (i + r) * m.stride + at, part), sums[r][p]);
        });
      });
    }
    unrolled<together>([&](auto r) {
      y[i + r] = fma(factor, add_lanes<T>(sums[r]), start ? start[i + r] : T{0});
    });
  };
  constexpr Index together =
      (4 / registers_per_logical < T >> 1) ? 4 / registers_per_logical<T> : 2;
  const auto all = [&](auto from_memory) {
    Index i = 0;
    for (; i + together <= m.rows; i += together)
      rows(i, std::integral_constant<Index, together>(), from_memory);
    for (; i < m.rows; ++i) rows(i, std::integral_constant<Index, 1>(), from_memory);
  };
  const bool large = m.rows * m.columns > 2 * tuning::half_l2_elements;
  large ? all(std::true_type()) : all(std::false_type());
}

/// Computes y = factor * x m + start as a sum of the rows of m, weighted by the elements of x, with
/// the same bits as multiply_tiles.
template <class T>
void add_weighted_rows(const T* x, const Matrix<const T>& m, T* y, T factor, const T* start) {
  const TermParts parts(m.rows);
  for (Index j = 0; j < m.columns; j += lanes<T>) {
    const Index columns = std::min(lanes<T>, m.columns - j);
    Vec<T> result = start ? load_partial(start + j, columns) : Vec<T>(T{0});
    for (Index part = 0, k = 0; part < parts.count; ++part) {
      Vec<T> sum(T{0});
      for (const Index end = std::min(k + parts.length, m.rows); k < end; ++k)
        sum = fma(Vec<T>(x[k]), load_partial(m.data + k * m.stride + j, columns), sum);
      result = fma(sum, Vec<T>(factor), result);
    }
    store_partial(y + j, columns, result);
  }
}

/// Copies the elements below the diagonal of m to their mirror positions above it.
template <class T>
void mirror(const Matrix<T>& m) {
  constexpr Index side = lanes<T>;
  for (Index i = 0; i < m.rows; i += side) {
    const Index rows = std::min(side, m.rows - i);
    for (Index j = 0; j < i; j += side) {
      Square<T> square;
      unrolled<side>([&](auto r) {
        square[r] =
            r < rows ? Vec<T>::load_unaligned(m.data + (i + r) * m.stride + j) : Vec<T>(T{0});
      });
      transpose(square);
      unrolled<side>(
          [&](auto r) { store_partial(m.data + (j + r) * m.stride + i, rows, square[r]); });
    }
    for (Index r = i; r < i + rows; ++r)
      for (Index k = i; k < r; ++k) m.data[k * m.stride + r] = m.data[r * m.stride + k];
  }
}

}  // namespace

template <class T>
bool multiply_row(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                  const Epilogue<T>& epilogue) {
  const bool few = b.rows * b.columns <= tuning::max_row_sum_elements;
  if (c.rows != 1 || a.transposed || !(b.transposed || few)) return false;
  const T* const start = epilogue.accumulate ? c.data : epilogue.bias;
  b.transposed ? dot_rows(a.data, b.t(), c.data, epilogue.factor, start)
               : add_weighted_rows(a.data, b, c.data, epilogue.factor, start);
  return true;
}

namespace {

void multiply_bf16_row(const Matrix<const float>& a, const Matrix<const Bf16>& b,
                       const Matrix<float>& c, const Epilogue<float>& epilogue) {
  dot_rows(a.data, b.t(), c.data, epilogue.factor, epilogue.accumulate ? c.data : epilogue.bias);
}

}  // namespace

#define INSTANTIATE(T)                                                                           \
  template void multiply_tiles(const Matrix<const T>&, const Matrix<const T>&, const Matrix<T>&, \
                               const Epilogue<T>&);                                              \
  template bool multiply_row(const Matrix<const T>&, const Matrix<const T>&, const Matrix<T>&,   \
                             const Epilogue<T>&);
INSTANTIATE(float)
INSTANTIATE(double)

template <class T>
void add_products(Kernels<T>& table) {
  table.multiply_tiles = multiply_tiles<T>;
  table.multiply_row = multiply_row<T>;
  table.mirror = mirror<T>;
  if constexpr (std::is_same_v<T, float>) table.multiply_bf16_row = multiply_bf16_row;
}
template void add_products(Kernels<float>&);
template void add_products(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
