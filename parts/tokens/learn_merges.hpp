#pragma once
#include "byte_pairs.hpp"

#include <functional>

namespace tapehead {

/// Told after each merge how many of how many there are.
using LearnProgress = std::function<void(int done, int all)>;

/// Learns merges from a text, which must be UTF-8, for BytePairs: `count` times, the pair of
/// neighbours within words that occurs most often becomes a token; of several, the one that occurs
/// first. In a row of equal tokens each two neighbours count. Fewer than `count` if all words are
/// one token each before. Takes about as long for one long word as for many short ones.
std::vector<Merge> learn_merges(std::string_view text, int count,
                                const LearnProgress& progress = {});

}  // namespace tapehead
