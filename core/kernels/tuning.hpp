#pragma once
// Constants that were tuned by measurement, with the processor and the benchmark. Only
// `query_block`, `key_tile` and constants marked * can change the bits of a result. The processors:
// Zen 4 and Zen 3 with two cores, Sapphire Rapids with two cores.
#include "../shape.hpp"

namespace tapehead::tuning {

// ---- splits over threads (core/runtime/parallel)
/// * The smallest number of operations per thread for a fixed split of an op outside of shards. Zen
/// 4, a GPT on one long sequence.
constexpr double min_thread_operations = 1 << 22;
/// The smallest number of operations to hand to a free thread. Zen 4, shards of tiny and cpu.
constexpr double min_shared_operations = 1 << 20;
/// If each thread takes several pieces: the smallest number of operations of a piece, and the
/// largest number of pieces per thread.
constexpr double min_turn_operations = 1 << 22, most_turns = 4;
/// The largest number of operations of a piece, so that threads that become free find work.
constexpr double max_piece_operations = 1 << 23;
/// The cost of one element of an element-wise op, in operations of a matmul.
constexpr double element_cost = 32;
/// Iterations for which a waiting thread spins before it sleeps, some tenths of a millisecond.
/// Within a step the next work usually comes sooner. Zen 4, with other programs running.
constexpr int spin_iterations = 20000;

// ---- memory
constexpr Index cache_line = 64;        ///< bytes
constexpr Index prefetch_bytes = 2048;  ///< ahead in loops over long rows. Zen 5, AdamW and norms

// ---- sums
/// * The number of registers, or rows, that are added sequentially; longer sums are split into
/// halves.
constexpr Index sequential_registers = 32;
constexpr Index sequential_rows = 32;
/// The side of a tile of a transposing copy, in elements. Zen 4, (0, 2, 1, 3).
constexpr Index copy_tile = 16;

// ---- matmuls (core/kernels/gemm)
/// * The largest number of rows of a packed panel, which stays in the L1 cache. Zen 4, matmuls of
/// baby.
constexpr Index panel_rows = 256;
/// The number of elements of c in half of an L2 cache, and the number from which c doesn't fit the
/// L3 cache. Sapphire Rapids, matmuls of gpt2.
constexpr Index half_l2_elements = 1 << 17, beyond_l3_elements = 1 << 20;
/// The smallest row stride, in elements, from which a transposed factor is packed for AVX-512. Zen
/// 5.
constexpr Index min_pack_stride = 1 << 14;
/// The largest number of rows of a block of a, a multiple of the rows of a tile, so that the block
/// stays in the L2 cache; and the number of columns of c whose panels stay in the L3 cache for all
/// blocks. Zen 5, and Zen 4 restricted to AVX2.
constexpr Index block_rows = 264, strip_columns = 1024;
/// The smallest number of rows of a for which a panel of b is copied although its rows are whole
/// registers. Zen 5.
constexpr Index min_panel_rows = 128;
/// A matmul is split for threads at multiples of the rows of a tile and the columns of a panel, as
/// for AVX-512. A transposed factor with more columns is packed.
constexpr Index piece_rows = 6, piece_columns = 64;
/// The cost of a piece apart from its multiplications, as additional rows and columns. Zen 4, and
/// Sapphire Rapids with 16 processors, matmuls of gpt2.
constexpr Index rows_to_pack = 32, columns_to_read = 32;
/// The fraction of a piece that threads wait for the slowest one, per thread. The same processors
/// and benchmark.
constexpr double slowest = 1.0 / 16;
/// * The largest number of elements of b for which a single row of a is multiplied by adding the
/// rows of b. Zen 4.
constexpr Index max_row_sum_elements = 4096;
/// The number of bf16 columns that are widened at a time, so that they stay in the L2 cache until
/// they are packed. Zen 5, evaluating a GPT-2.
constexpr Index widened_columns = 64;

// ---- attention (core/kernels/attention)
/// The queries and keys of a tile. Their scores fit into the L2 cache.
constexpr Index query_block = 32, key_tile = 512;

// ---- random numbers
/// The number of dropout elements that are drawn at a time, two per word.
constexpr Index dropout_block = 1024;

}  // namespace tapehead::tuning
