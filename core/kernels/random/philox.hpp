#pragma once
#include "../../shape.hpp"

#include <array>

namespace tapehead {

constexpr std::uint32_t philox_multiplier_a = 0xD2511F53, philox_multiplier_b = 0xCD9E8D57;
constexpr std::uint32_t philox_weyl_a = 0x9E3779B9, philox_weyl_b = 0xBB67AE85;

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3").
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

}  // namespace tapehead
