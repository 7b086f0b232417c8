#pragma once
// The constants that were tuned by measurement, and what each was measured on. Only `query_block`,
// `key_tile` and those marked * may change the bits of a result. The machines: a Zen 4 and a Zen 3
// with two cores, a Sapphire Rapids with two cores.
#include "../shape.hpp"

namespace tapehead::tuning {

// ---- splits over threads (core/runtime/parallel)
/// * From how many operations an op outside of shards is split over threads: a fixed split. Zen 4,
/// a GPT on one long sequence.
constexpr double min_thread_operations = 1 << 22;
/// From how many operations a part is worth handing to a free thread. Zen 4, shards of tiny and
/// cpu.
constexpr double min_shared_operations = 1 << 20;
/// Operations of a piece, at least, where each thread takes several in turn, and how many.
constexpr double min_turn_operations = 1 << 22, most_turns = 4;
/// Operations of a part, at most, where threads may become free meanwhile.
constexpr double max_piece_operations = 1 << 23;
/// An element of an element-wise op takes as long as this many operations of a product.
constexpr double element_cost = 32;
/// Iterations for which a waiting thread spins before it sleeps, some tenths of a millisecond:
/// within a step the next work mostly comes sooner. Zen 4, with other programs running.
constexpr int spin_iterations = 20000;

// ---- memory
constexpr Index cache_line = 64;        ///< bytes
constexpr Index prefetch_bytes = 2048;  ///< ahead in loops over long rows. Zen 5, AdamW and norms

// ---- sums
/// * How many registers, or rows, are added one after the other; longer sums are halved.
constexpr Index sequential_registers = 32;
constexpr Index sequential_rows = 32;
/// Elements along both sides of a transposing copy's tile. Zen 4, (0, 2, 1, 3).
constexpr Index copy_tile = 16;

// ---- products (core/kernels/gemm)
/// * Rows of a packed panel, at most: it stays in the first-level cache. Zen 4, products of baby.
constexpr Index panel_rows = 256;
/// How many elements of c half of a second-level cache holds, and from how many the third-level
/// cache can't hold c. Sapphire Rapids, products of gpt2.
constexpr Index half_l2_elements = 1 << 17, beyond_l3_elements = 1 << 20;
/// From how many elements between its rows on a transposed factor is packed for AVX-512. Zen 5.
constexpr Index min_pack_stride = 1 << 14;
/// Rows of a block of a, at most, a multiple of those of a tile, and columns of c for which panels
/// are kept for all blocks: they stay in the second-level cache and in the third. Zen 5, and a
/// Zen 4 held to AVX2.
constexpr Index block_rows = 264, strip_columns = 1024;
/// From how many rows of a on a panel of b is copied, though its rows are whole registers. Zen 5.
constexpr Index min_panel_rows = 128;
/// A product is cut for threads at multiples of a tile's rows and of a panel's columns, those of
/// AVX-512. A transposed factor with more columns is packed.
constexpr Index piece_rows = 6, piece_columns = 64;
/// What a piece costs beside its multiplications, as rows and columns more. Zen 4 and a Sapphire
/// Rapids with 16 processors, products of gpt2.
constexpr Index rows_to_pack = 32, columns_to_read = 32;
/// How much of a piece the others wait for the slowest of all threads, by each of these. Likewise.
constexpr double slowest = 1.0 / 16;
/// * Elements of b up to which a single row of a is multiplied by adding up the rows of b. Zen 4.
constexpr Index max_row_sum_elements = 4096;
/// Columns of a factor in bf16 that are widened at a time: they stay in the second-level cache
/// until they are packed. Zen 5, evaluating a GPT-2.
constexpr Index widened_columns = 64;

// ---- attention (core/kernels/attention)
/// Queries and keys that the kernel takes at a time. Their scores fit into the second-level cache.
constexpr Index query_block = 32, key_tile = 512;

// ---- random numbers
/// Elements of dropout that are drawn at a time, two per word.
constexpr Index dropout_block = 1024;

}  // namespace tapehead::tuning
