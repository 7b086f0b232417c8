#pragma once
// Every kernel, on one page: a table of loops over memory for one element type. Each instruction
// set fills a table of its own, all from the same source, and the processor chooses at start.
#include "../runtime/parallel.hpp"
#include "attention/attention.hpp"
#include "tuning.hpp"

#include <string>
#include <vector>

namespace tapehead {

// ---- what the kernels of rows are given

/// Whether a row's mean is subtracted: in a layer norm it is, in an RMS norm it isn't.
enum class Centre { mean, zero };

/// The parts that are normalised independently: `heads` parts of `width` columns of each line of x,
/// one after the other, with a gain for each, (heads, width). The remaining columns are copied.
struct NormRows {
  Index lines, columns, heads, width, first = 0;

  /// The lines from `from` to end - 1.
  NormRows slice_lines(Index from, Index end) const {
    return {end - from, columns, heads, width, from};
  }
  /// The cost of normalising a line: about four passes.
  double line_cost() const { return 4 * tuning::element_cost * static_cast<double>(columns); }
  /// How many elements per part forward saves for backward.
  static constexpr Index statistics = 3;
};

/// Logits (rows, classes), a target id for each row, and the options of the loss.
template <class T>
struct CrossEntropyRows {
  const T* logits;
  const std::int32_t* targets;
  Index classes;
  Index ignored;     ///< rows with this target are ignored
  double smoothing;  ///< the fraction of a target that is spread evenly over all classes

  /// How many elements per row forward saves for backward.
  static constexpr Index statistics = 2;
};

/// Sequences (batch, time, columns) whose first `heads` heads of `width` columns are rotated: see
/// `rotary` in core/ops.hpp.
struct RotaryRows {
  Index batch, time, columns, heads, width;
  Index first;  ///< the position of the first element along time
  double base;
  bool back;  ///< rotates by the opposite angle, as backward does
};

// ---- the table

/// The same bits come from every instruction set: sums have an order that is fixed by their sizes,
/// and each multiply-add is a fused one. T is float or double.
template <class T>
struct Kernels {
  // ---- element-wise: for i < n. y may be x, a or b.

  /// y[i] = f(x[i])
  using Map = void (*)(T* y, Index n, const T* x);
  Map neg, abs, sqrt, exp, log, log1p, sin, cos, tanh, erf;
  Map sigmoid, relu, silu, softplus, gelu_tanh, gelu_erf;
  /// y[i] = f(a[i * a_step], b[i * b_step]), where a step is 0 or 1.
  using Zip = void (*)(T* y, Index n, const T* a, Index a_step, const T* b, Index b_step);
  Zip add, sub, mul, div, pow, maximum, minimum;
  /// A gate's gradient times another: a is dy, b the input.
  Zip silu_backward, gelu_tanh_backward, gelu_erf_backward;
  /// NaN stays NaN.
  void (*clamp)(T* y, Index n, const T* x, double low, double high);
  /// y[i] += x[i] for each of the `count` rows x, in order.
  void (*accumulate)(T* y, Index n, const T* const* x, Index count);
  /// y[i] = x[i], exactly
  void (*widen)(T* y, Index n, const Bf16* x);
  /// y[i] = x[i] rounded to f32, then to nearest, ties to even
  void (*narrow)(Bf16* y, Index n, const T* x);
  /// y[i] = a x[i] + b y[i]
  void (*mix)(T* y, Index n, double a, const T* x, double b);

  // ---- rows

  /// y[j] is the sum over i < n of x[i * width + j].
  void (*sum_rows)(T* y, const T* x, Index n, Index width);
  /// The same for the maximum; n is at least 1. A NaN is propagated.
  void (*max_rows)(T* y, const T* x, Index n, Index width);
  /// The sum of (scale * x[i])^2 in f64: element i is added to lane i % 16, then the lanes in
  /// order.
  double (*sum_of_squares)(const T* x, Index n, double scale);
  /// Of each of `rows` rows of n elements. A row of minus infinities gives zeros.
  void (*softmax)(T* y, const T* x, Index rows, Index n);
  void (*log_softmax)(T* y, const T* x, Index rows, Index n);
  /// One result for each row.
  void (*logsumexp)(T* y, const T* x, Index rows, Index n);

  /// y = n gain + bias, where n are the normalised parts of x. Writes the statistics, (parts, 3).
  void (*norm_forward)(const NormRows& rows, Centre centre, double epsilon, const T* x,
                       const T* gain, const T* bias, T* statistics, T* y);
  /// dx = (dn - mean(dn) - n mean(dn n)) scale with dn = dy gain; in an RMS norm the term mean(dn)
  /// is missing. dgain += sum(dy n) and dbias += sum(dy), line by line. Null gradients are not
  /// computed.
  void (*norm_backward)(const NormRows& rows, Centre centre, const T* x, const T* gain, const T* dy,
                        const T* statistics, T* dx, T* dgain, T* dbias);
  /// The losses of rows `first` to end - 1, in nats, (rows). Writes statistics too, (rows, 2).
  void (*cross_entropy_forward)(const CrossEntropyRows<T>& rows, Index first, Index end,
                                T* statistics, double* losses);
  /// dx = (p - (1 - s) [j = target] - s / classes) * scale, where p is the softmax of x, for rows
  /// `first` to end - 1; zeros in ignored rows.
  void (*cross_entropy_backward)(const CrossEntropyRows<T>& rows, Index first, Index end,
                                 const T* statistics, double scale, T* dx);
  void (*rotary)(const RotaryRows& rows, const T* x, T* y);
  /// y = scale * x where the bit is set, and 0 elsewhere: n elements in all, of `examples`
  /// examples, each of which begins a new word of bits.
  void (*keep)(const std::uint32_t* bits, Index examples, Index n, double scale, const T* x, T* y);

  // ---- products

  /// As gemm, on the calling thread. An element's sum depends neither on the rows nor on the
  /// columns that are computed with it.
  void (*multiply_tiles)(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                         const Epilogue<T>& epilogue);
  /// The same for a single row a, as when generating token by token, which isn't worth packing b
  /// for. False, and nothing done, where it is.
  bool (*multiply_row)(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                       const Epilogue<T>& epilogue);
  /// The same for a transposed b of bf16, whatever its size. Null if T is double.
  void (*multiply_bf16_row)(const Matrix<const T>& a, const Matrix<const Bf16>& b,
                            const Matrix<T>& c, const Epilogue<T>& epilogue);
  /// Copies what is below the diagonal of a square matrix to above it.
  void (*mirror)(const Matrix<T>& m);

  // ---- attention

  /// Computes y = weights v. For backward it writes the logarithm of each row's sum of
  /// exponentials, `lse` (batch, heads, queries), and the words of DropoutMask, (batch, heads,
  /// blocks, keys), unless `kept` is null. Writes the weights too, (batch, heads, queries, keys),
  /// unless `weights` is null; they are zero before.
  void (*attention_forward)(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                            const HeadView<T>& y, T* lse, std::uint32_t* kept, T* weights);
  /// Writes dx, and adds to the gradients in `more`.
  void (*attention_backward)(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                             const HeadView<const T>& y, const HeadView<const T>& dy, const T* lse,
                             const std::uint32_t* kept, const AttentionInputs<T>& dx,
                             const AttentionGradients<T>& more);

  // ---- optimizers: x is a parameter, g its gradient. See optim/ for the formulas.

  struct SGD {
    double rate, momentum, decay, scale;
  };
  void (*sgd)(T* x, Index n, const T* g, T* velocity, const SGD& options);
  struct Lion {
    double rate, beta1, beta2, keep, scale;
  };
  void (*lion)(T* x, Index n, const T* g, T* momentum, const Lion& options);
  struct AdamW {
    double rate, spread, beta1, beta2, epsilon, keep, scale;
  };
  void (*adamw)(T* x, Index n, const T* g, T* first, T* second, const AdamW& options);

  // ---- what a processor can do

  /// Fused multiply-adds in registers for so many steps; how many operations those were.
  double (*peak)(Index steps, T* result);
};

/// Those of this processor, or of the instruction set that TAPEHEAD_ISA names.
template <class T>
const Kernels<T>& kernels();

/// Philox's words and dropout's bits have no element type.
struct BitKernels {
  /// Writes the four words of each block. The counter of block i is (first[i], rest).
  void (*philox)(const std::uint32_t* first, Index blocks, std::array<std::uint32_t, 3> rest,
                 std::array<std::uint32_t, 2> key, std::uint32_t* out);
  /// Bit i of kept[j] is set if element 32 j + i is at least `least`: there are two elements to a
  /// word, 16 words for each of `count` results, the lower half first.
  void (*at_least)(std::uint32_t least, const std::uint32_t* words, Index count,
                   std::uint32_t* kept);
};
const BitKernels& bit_kernels();

/// `v4` (AVX-512), `v3` (AVX2) or `baseline` (SSE2, or NEON): the levels of the x86-64 ABI. The
/// environment variable TAPEHEAD_ISA, one of these words, overrules the processor; the first call
/// throws ValueError for any other word, and for what the processor doesn't have.
const std::string& instruction_set();

/// A level that this build has kernels for, and whether this processor runs it.
struct InstructionLevel {
  std::string name;
  bool runs;
};
std::vector<InstructionLevel> instruction_levels();  ///< the best one last

}  // namespace tapehead
