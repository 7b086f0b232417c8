#pragma once
#include "../shape.hpp"

#include <array>

namespace tapehead {

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3").
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// n words: those of the block of the given counter, then of the following blocks, whose first
/// counter word is larger by 1 each.
void philox_words(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key, Index n,
                  std::uint32_t* out);

}  // namespace tapehead
