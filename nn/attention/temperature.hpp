#pragma once
#include "../../core/fields.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// Learned factors of the scores:
///   layer, head  exp(s), with one s for the layer or one for each head; s starts at 0 and is held
///                within +-log(100); the temperature is 1 / exp(s)
///   qkv          a factor for each head's queries, one for its keys and one for its values, which
///                start at 1
///   lsa          a factor for each head in place of `scale`, where it starts; and a query doesn't
///                see its own position (Lee, Lee and Song, "Vision Transformer for Small-Size
///                Datasets")
enum class Temperature { none, layer, head, qkv, lsa };
inline constexpr Choice<Temperature> temperature_names[] = {{"none", Temperature::none},
                                                            {"layer", Temperature::layer},
                                                            {"head", Temperature::head},
                                                            {"qkv", Temperature::qkv},
                                                            {"lsa", Temperature::lsa}};

struct MultiHeadAttention;
/// What a learned temperature multiplies scores by now, by name: exp(s) as "scores", or the factors
/// of qkv and lsa; empty without temperature.
std::vector<std::pair<std::string, std::vector<double>>> learned_factors(
    const MultiHeadAttention& layer);

}  // namespace tapehead
