#include "../../train/files/npy.hpp"
#include "formats.hpp"

namespace tapehead {

std::string attention_npy(const std::vector<AttentionMap>& maps) {
  const AttentionMap& first = maps.at(0);
  for (const AttentionMap& map : maps)
    if (map.weights.shape() != first.weights.shape())
      throw UsageError(
          "--format npy needs maps of the same shape, but {} has shape {} and {} has {}; choose "
          "one with --layer",
          first.name, first.weights.shape(), map.name, map.weights.shape());
  Shape shape = {static_cast<Index>(maps.size())};
  for (Index size : first.weights.shape()) shape.push_back(size);
  Tensor all = Tensor::empty(shape, DType::f32);  // (layers, heads, queries, keys)
  float* next = all.mutable_data<float>();
  for (const AttentionMap& map : maps)
    for (double weight : map.weights.values()) *next++ = static_cast<float>(weight);
  return to_npy(all);
}

}  // namespace tapehead
