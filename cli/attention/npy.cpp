#include "../../core/array.hpp"
#include "formats.hpp"

// Not part of array.hpp: it reads <regex>, which takes longer to compile than all else.
#if __has_include(<xtensor/io/xnpy.hpp>)
#include <xtensor/io/xnpy.hpp>
#else
#include <xtensor/xnpy.hpp>
#endif

namespace tapehead {

std::string attention_npy(const std::vector<AttentionMap>& maps) {
  const AttentionMap& first = maps.at(0);
  for (const AttentionMap& map : maps)
    if (map.weights.shape() != first.weights.shape())
      throw UsageError(
          "--format npy is one array, but {} has the shape {} and {} {}; choose one with --layer",
          first.name, first.weights.shape(), map.name, map.weights.shape());
  Shape shape = {static_cast<Index>(maps.size())};
  for (Index size : first.weights.shape()) shape.push_back(size);
  Tensor all = Tensor::empty(shape, DType::f32);  // (layers, heads, queries, keys)
  float* next = all.mutable_data<float>();
  for (const AttentionMap& map : maps)
    for (double weight : map.weights.values()) *next++ = static_cast<float>(weight);
  return xt::dump_npy(all.array<float>());
}

}  // namespace tapehead
