#pragma once
// The numerics: constants that determine the order of a sum, a rounding or a draw, and so the bits
// of results. docs/reference/numerics.md specifies the rules that use them. Constants that only
// change the speed are in core/kernels/tuning.hpp.
#include "shape.hpp"

namespace tapehead {

/// The number of the numerics. Versions of Tapehead with the same number compute bitwise identical
/// results. A change of any weight hash in docs/results.md needs a new number.
constexpr int numerics = 1;

namespace pinned {

// ---- sums
/// The size of a logical register: 16 lanes of f32, or 8 lanes of f64.
constexpr Index register_bytes = 64;
/// The largest number of logical registers, or of rows, that are added sequentially. Longer sums
/// are split into halves.
constexpr Index sequential_registers = 32, sequential_rows = 32;
/// Outside of shards, the gradients of a norm's gain and bias are summed in two parts if the input
/// has at least this many elements, and in four parts if it has twice as many.
constexpr Index min_split_elements = 1 << 16;

// ---- matmuls
/// The largest number of terms of an element that are added sequentially. Longer sums have several
/// parts of equal length. Also the largest number of rows of a packed panel, which stays in the L1
/// cache. Tuned on Zen 4, for the matmuls of baby.
constexpr Index panel_rows = 256;

// ---- attention
/// The numbers of queries and keys of a tile, whose scores fit into the L2 cache.
constexpr Index query_block = 32, key_tile = 512;

// ---- random numbers
/// The largest number of keys, and the largest value of queries * heads, for which each attention
/// weight has a separate element of the example's random sequence.
constexpr Index most_weight_keys = 1 << 16, most_weight_rows = 1 << 19;

// ---- training
/// The largest default number of shards. If shards would have fewer than `tokens_per_shard` tokens,
/// a model with more than `parameters_in_cache` parameters (1 MB) gets at most two shards, and one
/// with more than `many_parameters` (16 MB) a single shard.
constexpr Index most_shards = 4, tokens_per_shard = 256;
constexpr Index parameters_in_cache = 1 << 18, many_parameters = 1 << 22;
/// With at least this many tokens in the vocabulary, training and evaluations compute logits only
/// at targets, if at most half of the positions have one.
constexpr Index large_vocabulary = 1024;
/// The lanes in which the squares of a gradient are added, and the number of elements after which
/// the lanes are added.
constexpr Index norm_lanes = 16, norm_block = 1 << 16;
/// The smallest number of columns of a block in Muon's symmetric matmuls.
constexpr Index symmetric_columns = 32;

// ---- evaluation and generation
/// A batch of an evaluation has at most this many tokens, unless one example has more, and at most
/// this many examples. These tokens fit in the L2 cache: 25 % faster than larger batches.
constexpr Index evaluation_tokens = 512, evaluation_examples = 64;
/// The number of samples that are generated in one batch.
constexpr Index samples_at_once = 8;

}  // namespace pinned
}  // namespace tapehead
