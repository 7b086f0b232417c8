#pragma once
#include "../../core/fields.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// A learned temperature, as factors of the scores:
///   layer, head exp(s), with one s for the layer or for each head; s starts at 0 and is clamped to
///                +-log(100); the temperature is 1 / exp(s)
///   qkv for each head, one factor for the queries, one for the keys and one for the values;
///                they start at 1
///   lsa          one factor for each head instead of `scale`, which is its initial value; no query
///                sees its own position (Lee, Lee and Song, "Vision Transformer for Small-Size
///                Datasets")
enum class Temperature { none, layer, head, qkv, lsa };
inline constexpr Choice<Temperature> temperature_names[] = {{"none", Temperature::none},
                                                            {"layer", Temperature::layer},
                                                            {"head", Temperature::head},
                                                            {"qkv", Temperature::qkv},
                                                            {"lsa", Temperature::lsa}};

struct MultiHeadAttention;
/// Returns the current factors of a learned temperature by name: exp(s) as "scores", or the factors
/// of qkv and lsa. The result is empty without a learned temperature.
std::vector<std::pair<std::string, std::vector<double>>> learned_factors(
    const MultiHeadAttention& layer);

}  // namespace tapehead
