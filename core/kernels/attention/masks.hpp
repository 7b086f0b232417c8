#pragma once
// Masks for the scores of a tile.
#include "tile.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// Calls f(score, element) with the index of each visible score of a tile and the index of its
/// element in the mask. Skips extra keys and keys hidden by causality.
template <class F>
void for_each_masked(const Tile& tile, const AttentionMask& mask, const F& f) {
  const Index extra = tile.plan.extra;
  const Index corner = mask.first + tile.b * mask.strides[0] + tile.h * mask.strides[1] +
                       tile.first * mask.strides[2] + (tile.k0 - extra) * mask.strides[3];
  for (Index j = std::max<Index>(extra - tile.k0, 0); j < tile.keys; ++j)
    for (Index i = tile.begin(j); i < tile.queries; ++i)
      f(j * tile.stride + i, corner + i * mask.strides[2] + j * mask.strides[3]);
}

/// Adds `factor` times the float masks that have this value of `before_scale` to the scores.
template <class T>
void add_masks(const Tile& tile, bool before_scale, T factor, T* scores) {
  for (const AttentionMask& mask : tile.plan.masks) {
    if (mask.before_scale != before_scale || !mask.values.is_float()) continue;
    const T* added = mask.values.data<T>();
    for_each_masked(tile, mask, [&](Index at, Index element) {
      if (added[element] != minus_infinity<T>) scores[at] += factor * added[element];
    });
  }
}

/// Sets the scores that a mask, the window or hide_self hides to minus infinity, even if they are
/// NaN.
template <class T>
void hide(const Tile& tile, T* scores) {
  const AttentionPlan& plan = tile.plan;
  for (const AttentionMask& mask : plan.masks)
    if (mask.values.is_float()) {
      const T* added = mask.values.data<T>();
      for_each_masked(tile, mask, [&](Index at, Index element) {
        if (added[element] == minus_infinity<T>) scores[at] = minus_infinity<T>;
      });
    } else {
      const auto* may = mask.values.data<std::int32_t>();
      for_each_masked(tile, mask, [&](Index at, Index element) {
        if (!may[element]) scores[at] = minus_infinity<T>;
      });
    }
  for (Index j = std::max<Index>(plan.extra - tile.k0, 0); plan.window > 0 && j < tile.keys; ++j)
    for (Index i = 0; i < tile.queries; ++i) {
      const Index own = plan.extra + plan.position(tile.first + i) - tile.k0;
      if (std::abs(j - own) >= plan.window) scores[j * tile.stride + i] = minus_infinity<T>;
    }
  for (Index i = 0; plan.hide_self && i < tile.queries; ++i) {
    const Index position = plan.position(tile.first + i), j = plan.extra + position - tile.k0;
    if (position >= 0 && j >= 0 && j < tile.keys) scores[j * tile.stride + i] = minus_infinity<T>;
  }
}

/// Adds the gradient of the scores to the gradients of the masks. A mask's gradient has the layout
/// of the mask, and is null if not needed.
template <class T>
void collect_masks(const Tile& tile, T factor, const T* dscores, const std::vector<T*>& gradients) {
  for (std::size_t m = 0; m < gradients.size(); ++m) {
    if (!gradients[m]) continue;
    const AttentionMask& mask = tile.plan.masks[m];
    const T by = mask.before_scale ? factor : T{1};
    for_each_masked(tile, mask,
                    [&](Index at, Index element) { gradients[m][element] += by * dscores[at]; });
  }
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
