#include "copy.hpp"
#include "tuning.hpp"

#include <algorithm>
#include <array>

namespace tapehead {
namespace {

/// One of the nested loops of a copy: its count, and the distance between steps in y and in x.
struct Loop {
  Index n, y, x;
};

template <class T>
void copy_matrix(T* y, const T* x, const Loop& rows, const Loop& columns) {
  if (columns.x <= 1) {
    for (Index i = 0; i < rows.n; ++i, y += rows.y, x += rows.x)
      columns.x == 1 ? std::copy_n(x, columns.n, y) : std::fill_n(y, columns.n, *x);
    return;
  }
  constexpr Index tile = tuning::copy_tile;  // a tile of both sides stays in the cache
  for (Index top = 0; top < rows.n; top += tile)
    for (Index left = 0; left < columns.n; left += tile)
      for (Index i = top; i < std::min(top + tile, rows.n); ++i)
        for (Index j = left; j < std::min(left + tile, columns.n); ++j)
          y[i * rows.y + j] = x[i * rows.x + j * columns.x];
}

template <class T>
void copy_nested(T* y, const T* x, const Loop* first, const Loop* last) {
  if (first + 1 == last) return copy_matrix(y, x, *first, *last);
  for (Index i = 0; i < first->n; ++i)
    copy_nested(y + i * first->y, x + i * first->x, first + 1, last);
}

}  // namespace

template <class T>
void strided_copy(T* y, const T* x, const Shape& shape, const Shape& strides) {
  if (shape.size() == 0) return;
  const Shape ys = broadcast_strides(shape, shape);
  std::array<Loop, Shape::max_rank + 2> loops{Loop{1, 0, 0}, Loop{1, 0, 0}};
  Loop* last = &loops[1];
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Loop loop{shape[axis], ys[axis], strides[axis]};
    if (loop.n == 1) continue;
    if (last->y == loop.y * loop.n && last->x == loop.x * loop.n)
      *last = {last->n * loop.n, loop.y, loop.x};  // both axes merge on both sides
    else
      *++last = loop;
  }
  // The last loop runs along the rows of y; the loop along the rows of x is moved next to it.
  Loop* along_x = std::find_if(loops.data(), last, [](const Loop& loop) { return loop.x == 1; });
  if (along_x != last) std::rotate(along_x, along_x + 1, last);
  copy_nested(y, x, loops.data(), last);
}

template void strided_copy(float*, const float*, const Shape&, const Shape&);
template void strided_copy(double*, const double*, const Shape&, const Shape&);
template void strided_copy(std::int32_t*, const std::int32_t*, const Shape&, const Shape&);

}  // namespace tapehead
