#pragma once
// The table of all kernels for one element type. Each instruction set has its own table, compiled
// from the same source. The table for this processor is selected at startup.
#include "../runtime/parallel.hpp"
#include "attention/attention.hpp"
#include "tuning.hpp"

#include <string>
#include <vector>

namespace tapehead {

// ---- arguments of the row kernels

/// The number that is subtracted from a row: its mean (layer norm) or zero (RMS norm).
enum class Centre { mean, zero };

/// The rows to normalise. Each line of x starts with `heads` groups of `width` columns, and each
/// group is normalised independently. The columns after the groups are copied. Gains are (heads,
/// width).
struct NormRows {
  Index lines, columns, heads, width, first = 0;

  /// Returns the NormRows for lines `from` to end - 1.
  NormRows slice_lines(Index from, Index end) const {
    return {end - from, columns, heads, width, from};
  }
  /// Returns the cost of normalising a line: about four passes over its elements.
  double line_cost() const { return 4 * tuning::element_cost * static_cast<double>(columns); }
  /// The number of elements per group that forward saves for backward.
  static constexpr Index statistics = 3;
};

/// Logits (rows, classes), a target id for each row, and the options of the loss.
template <class T>
struct CrossEntropyRows {
  const T* logits;
  const std::int32_t* targets;
  Index classes;
  Index ignored;     ///< target id of rows to ignore
  double smoothing;  ///< label smoothing: the fraction that is spread over all classes

  /// The number of elements per row that forward saves for backward.
  static constexpr Index statistics = 2;
};

/// Sequences (batch, time, columns) whose first `heads` heads of `width` columns are rotated; see
/// `rotary` in core/ops.hpp.
struct RotaryRows {
  Index batch, time, columns, heads, width;
  Index first;  ///< position of the first row of a sequence
  double base;
  bool back;  ///< rotate by the opposite angles, for backward
};

// ---- the table

/// The kernels for element type T, float or double. Results are bitwise identical for every
/// instruction set: the order of a sum depends only on the number of terms, and every multiply-add
/// is fused.
template <class T>
struct Kernels {
  // ---- element-wise, for each i < n. y may be x, a or b.

  /// y[i] = f(x[i])
  using Map = void (*)(T* y, Index n, const T* x);
  Map neg, abs, sqrt, exp, log, log1p, sin, cos, tanh, erf;
  Map sigmoid, relu, silu, softplus, gelu_tanh, gelu_erf;
  /// y[i] = f(a[i * a_step], b[i * b_step]), where a step is 0 or 1.
  using Zip = void (*)(T* y, Index n, const T* a, Index a_step, const T* b, Index b_step);
  Zip add, sub, mul, div, pow, maximum, minimum;
  /// Gradients of activations: a is dy, b is the input x.
  Zip silu_backward, gelu_tanh_backward, gelu_erf_backward;
  /// y[i] = x[i], limited to [low, high]. NaN stays NaN.
  void (*clamp)(T* y, Index n, const T* x, double low, double high);
  /// y[i] += x[row][i] for each row < count, in order.
  void (*accumulate)(T* y, Index n, const T* const* x, Index count);
  /// y[i] = x[i]
  void (*widen)(T* y, Index n, const Bf16* x);
  /// y[i] = x[i], rounded to f32, then to bf16, both to nearest with ties to even
  void (*narrow)(Bf16* y, Index n, const T* x);
  /// y[i] = a x[i] + b y[i]
  void (*mix)(T* y, Index n, double a, const T* x, double b);

  // ---- rows

  /// y[j] is the sum over i < n of x[i * width + j].
  void (*sum_rows)(T* y, const T* x, Index n, Index width);
  /// y[j] is the maximum over i < n of x[i * width + j], or NaN if one of them is NaN. n >= 1.
  void (*max_rows)(T* y, const T* x, Index n, Index width);
  /// Returns the sum of (scale * x[i])^2 in f64. Adds element i to partial sum i % 16, then adds
  /// the 16 partial sums in order.
  double (*sum_of_squares)(const T* x, Index n, double scale);
  /// y = softmax(x) for each of `rows` rows of n elements; zeros for a row of minus infinities.
  void (*softmax)(T* y, const T* x, Index rows, Index n);
  void (*log_softmax)(T* y, const T* x, Index rows, Index n);
  /// y[row] is the log-sum-exp of a row.
  void (*logsumexp)(T* y, const T* x, Index rows, Index n);

  /// y = n gain + bias, where n is the normalised x. Also writes the statistics, (lines * heads,
  /// 3).
  void (*norm_forward)(const NormRows& rows, Centre centre, double epsilon, const T* x,
                       const T* gain, const T* bias, T* statistics, T* y);
  /// dx = (dn - mean(dn) - n mean(dn n)) scale with dn = dy gain; an RMS norm has no term mean(dn).
  /// dgain += dy n and dbias += dy for each line. Skips gradients that are null.
  void (*norm_backward)(const NormRows& rows, Centre centre, const T* x, const T* gain, const T* dy,
                        const T* statistics, T* dx, T* dgain, T* dbias);
  /// Computes rows `first` to end - 1: writes the losses in nats, (rows), and the statistics,
  /// (rows, 2).
  void (*cross_entropy_forward)(const CrossEntropyRows<T>& rows, Index first, Index end,
                                T* statistics, double* losses);
  /// Computes rows `first` to end - 1: dx = (p - (1 - s) [j = target] - s / classes) * scale with p
  /// = softmax(logits) and s = smoothing; zeros in ignored rows.
  void (*cross_entropy_backward)(const CrossEntropyRows<T>& rows, Index first, Index end,
                                 const T* statistics, double scale, T* dx);
  void (*rotary)(const RotaryRows& rows, const T* x, T* y);
  /// y = scale * x where the bit of the element is set, and 0 elsewhere. n is the number of
  /// elements of all examples together. The bits of each example begin with a new word.
  void (*keep)(const std::uint32_t* bits, Index examples, Index n, double scale, const T* x, T* y);

  // ---- matmuls

  /// Does the same as gemm, on the calling thread. No element of c depends on the size of c.
  void (*multiply_tiles)(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                         const Epilogue<T>& epilogue);
  /// Does the same for a single row a, as in token-by-token generation, without packing b. If
  /// multiply_tiles is faster, returns false and does nothing.
  bool (*multiply_row)(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                       const Epilogue<T>& epilogue);
  /// Does the same for a single row a and a transposed bf16 matrix b. Null if the table's type T is
  /// double.
  void (*multiply_bf16_row)(const Matrix<const T>& a, const Matrix<const Bf16>& b,
                            const Matrix<T>& c, const Epilogue<T>& epilogue);
  /// Copies the elements below the diagonal of a square matrix to their mirror positions above it.
  void (*mirror)(const Matrix<T>& m);

  // ---- attention

  /// Computes y = weights v. For backward, also writes the log-sum-exp of the scores to `lse`,
  /// (batch, heads, queries), and the words of the dropout mask to `kept`, (batch, heads, blocks,
  /// keys), if it isn't null. If `weights`, (batch, heads, queries, keys), isn't null, it must
  /// contain zeros and receives the attention weights.
  void (*attention_forward)(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                            const HeadView<T>& y, T* lse, std::uint32_t* kept, T* weights);
  /// Writes the gradients of q, k and v to dx, and adds the other gradients to `more`.
  void (*attention_backward)(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                             const HeadView<const T>& y, const HeadView<const T>& dy, const T* lse,
                             const std::uint32_t* kept, const AttentionInputs<T>& dx,
                             const AttentionGradients<T>& more);

  // ---- sequential ops

  /// Solves (I + L) y = b by forward substitution, where L is the part of a, (n, n), below the
  /// diagonal; with `back`, solves (I + L)^T y = b. y, (n, width), contains b and receives the
  /// solution.
  void (*solve_unit_lower)(const T* a, Index n, Index width, bool back, T* y);
  /// Computes a step of an LSTM for one sequence; `lstm` in core/ops.hpp has the formula. `gates`,
  /// (4 hidden), are replaced by their activations. `before` is the previous c; y receives h and c.
  void (*lstm_step)(Index hidden, T* gates, const T* before, T* y);
  /// Computes the gradient of a step from the activations `gates`, the c before and after the step,
  /// and the gradient dh. dc contains the gradient of the c after the step, apart from the part
  /// through h, and receives the gradient of the c before it.
  void (*lstm_step_backward)(Index hidden, const T* gates, const T* before, const T* after,
                             const T* dh, T* dc, T* dgates);

  // ---- optimizer steps: x is a parameter, g its gradient. optim/ has the formulas.

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

  // ---- peak performance

  /// Runs `steps` rounds of fused multiply-adds in registers. Returns the number of operations.
  double (*peak)(Index steps, T* result);
};

/// Returns the kernels for this processor, or for the instruction set in TAPEHEAD_ISA.
template <class T>
const Kernels<T>& kernels();

/// The kernels for random words and dropout bits, which have no element type.
struct BitKernels {
  /// Writes the four words of each Philox block to the output. Block i has the counter (first[i],
  /// rest).
  void (*philox)(const std::uint32_t* first, Index blocks, std::array<std::uint32_t, 3> rest,
                 std::array<std::uint32_t, 2> key, std::uint32_t* out);
  /// Sets bit i of kept[j], j < count, if the 16-bit number 32 j + i in `words` is at least
  /// `least`. A word contains two numbers, the lower half first, so each kept[j] needs 16 words.
  void (*at_least)(std::uint32_t least, const std::uint32_t* words, Index count,
                   std::uint32_t* kept);
};
const BitKernels& bit_kernels();

/// Returns the level of the kernels in use: `v4` (AVX-512), `v3` (AVX2) or `baseline` (SSE2; NEON
/// on ARM). The environment variable TAPEHEAD_ISA selects another level. The first call throws
/// ValueError if TAPEHEAD_ISA is unknown or not supported by the processor.
const std::string& instruction_set();

/// An instruction set for which this build has kernels, and whether this processor supports it.
struct InstructionLevel {
  std::string name;
  bool runs;
};
std::vector<InstructionLevel> instruction_levels();  ///< from slowest to fastest

}  // namespace tapehead
