#pragma once
// Constants that were tuned by measurement. A comment ends with the processor and the benchmark.
// They don't change the bits of a result; core/numerics.hpp has the constants that do.
// Processors: Zen 4 and Zen 3 with two cores, Sapphire Rapids with two cores.
#include "../shape.hpp"

namespace tapehead::tuning {

// ---- splits over threads (core/runtime/parallel)
/// An op is shared with another free thread only if that thread gets at least this many operations.
/// Tuned on Zen 4, for shards of the model sizes tiny and cpu.
constexpr double min_shared_operations = 1 << 20;
/// For work with several pieces (turns) per thread: the smallest number of operations of a piece,
/// and the largest number of pieces per thread.
constexpr double min_turn_operations = 1 << 22, most_turns = 4;
/// The largest number of operations of an element-wise piece, so that free threads find work.
constexpr double max_piece_operations = 1 << 23;
/// The cost of one element of an element-wise op, as a number of matmul operations.
constexpr double element_cost = 32;
/// The number of iterations for which a waiting thread spins before it sleeps. They take some
/// tenths of a millisecond; within a training step, more work usually comes sooner. Tuned on Zen 4,
/// with other programs running.
constexpr int spin_iterations = 20000;

// ---- memory
constexpr Index cache_line = 64;        ///< in bytes
constexpr Index prefetch_bytes = 2048;  ///< how far to prefetch in long rows. Zen 5, AdamW, norms

/// The side of a tile in a copy that transposes, in elements. Zen 4, permute with (0, 2, 1, 3).
constexpr Index copy_tile = 16;

// ---- matmuls (core/kernels/gemm)
/// The number of elements of c that fit in half of an L2 cache, and the number of elements from
/// which c doesn't fit in the L3 cache. Tuned on Sapphire Rapids, for matmuls of gpt2.
constexpr Index half_l2_elements = 1 << 17, beyond_l3_elements = 1 << 20;
/// With AVX-512, a transposed matrix a is packed if its row stride is at least this many elements.
/// Tuned on Zen 5.
constexpr Index min_pack_stride = 1 << 14;
/// The largest number of rows of a block of a, for which the block stays in the L2 cache; it is a
/// multiple of the rows of a tile. And the number of columns of c for which the panels of b stay in
/// the L3 cache while all blocks use them. Tuned on Zen 5, and on Zen 4 restricted to AVX2.
constexpr Index block_rows = 264, strip_columns = 1024;
/// The smallest number of rows of a for which a panel of b is copied even if its rows are whole
/// registers. Zen 5.
constexpr Index min_panel_rows = 128;
/// When threads share a matmul, c is split at multiples of these rows and columns: the rows of a
/// tile, and the columns of an AVX-512 panel. A transposed a is packed only if c has more than
/// piece_columns columns.
constexpr Index piece_rows = 6, piece_columns = 64;
/// For a piece of the result c of a matmul: the cost of packing columns of b, expressed as
/// additional rows of the piece, and the cost of reading rows of a, expressed as additional
/// columns. Tuned on Zen 4, and on Sapphire Rapids with 16 processors, for the matmuls of gpt2.
constexpr Index rows_to_pack = 32, columns_to_read = 32;
/// The time for which threads wait for the slowest thread, as a fraction of a piece's time, per
/// thread. Same processors and benchmark as above.
constexpr double slowest = 1.0 / 16;
/// The largest number of elements of b for which a single row is multiplied by b as a weighted sum
/// of the rows of b, without packing. Zen 4.
constexpr Index max_row_sum_elements = 4096;
/// The number of bf16 columns that are converted to f32 at a time, so that they stay in the L2
/// cache until they are packed. Zen 5, evaluating a GPT-2.
constexpr Index widened_columns = 64;

// ---- random numbers
/// The number of dropout elements that are drawn at a time, two per random word.
constexpr Index dropout_block = 1024;

}  // namespace tapehead::tuning
