#pragma once
// What the command line calls the choices that a model is made of: one list each, for its help, its
// checks and the model that is made.
#include "../../nn/transformer.hpp"

namespace tapehead {

/// Values by name, in the order in which help lists them.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

inline const Choices<Position> position_names = {{"none", Position::none},
                                                 {"learned", Position::learned},
                                                 {"sinusoidal", Position::sinusoidal},
                                                 {"rotary", Position::rotary},
                                                 {"alibi", Position::alibi},
                                                 {"relative", Position::relative},
                                                 {"t5", Position::t5}};
inline const Choices<Temperature> temperature_names = {{"none", Temperature::none},
                                                       {"layer", Temperature::layer},
                                                       {"head", Temperature::head},
                                                       {"qkv", Temperature::qkv},
                                                       {"lsa", Temperature::lsa}};
inline const Choices<Norm> norm_names = {
    {"layer", Norm::layer}, {"rms", Norm::rms}, {"none", Norm::none}};
inline const Choices<std::optional<Activation>> mlp_names = {{"gelu", Activation::gelu},
                                                             {"relu", Activation::relu},
                                                             {"relu2", Activation::relu2},
                                                             {"swiglu", Activation::swiglu},
                                                             {"none", std::nullopt}};
/// bf16 rounds the operands of large products alone: what is stored stays f32.
inline const Choices<DType> dtype_names = {
    {"f32", DType::f32}, {"f64", DType::f64}, {"bf16", DType::f32}};

template <class T>
std::vector<std::string> names_of(const Choices<T>& choices) {
  std::vector<std::string> all;
  for (const auto& [name, value] : choices) all.push_back(name);
  return all;
}

/// The value of a name, which must be one of these.
template <class T>
T named(const Choices<T>& choices, const std::string& name) {
  for (const auto& [known, value] : choices)
    if (known == name) return value;
  throw ValueError("'{}' is none of {}", name, fmt::join(names_of(choices), ", "));
}

}  // namespace tapehead
