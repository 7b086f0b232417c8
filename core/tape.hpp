#pragma once
// Recording and first-order differentiation; higher_order.hpp has higher-order gradients.
#include "gradients.hpp"
#include "op_call.hpp"
#include "runtime/id_map.hpp"

#include <functional>

namespace tapehead {

struct Fused;     // a decomposition and its inputs
struct TapeSlot;  // the place of a tape in the stack of its thread

/// The backward function (VJP) of one call of an op. It maps the gradient of the output to the
/// gradients of the inputs, and holds the tensors saved for backward.
struct BackwardFunction {
  using F = std::function<Grads(Tensor dy, GradientSums& sums)>;
  F f;                                      ///< empty if the op has no gradient
  std::shared_ptr<const Fused> fused = {};  ///< the decomposition of a fused op, see `record`
};

struct BackwardOptions {
  bool create_graph = false;  ///< record backward, so that gradients can be differentiated
  bool keep = false;          ///< don't free the backward functions, so that backward can run again
  /// Return zeros for watched tensors on which the loss doesn't depend, instead of throwing.
  bool zeros = false;
};

/// A gradient tape: records the ops of this thread while it is alive, and differentiates the
/// results of these ops (reverse mode). Watch a tensor to get its gradient. A tape tracks watched
/// tensors and all results that ops compute from tracked tensors. Other tensors are constants.
/// Recording only appends entries, so they are in topological order, and backward is one loop from
/// the last entry to the first.
///
/// After backward, or an error in backward, the tape is finished: it frees its backward functions
/// and their saved tensors, and records nothing more. With `keep` or `create_graph` it stays
/// usable. Use a tape only on the thread that made it; any thread may destroy it.
class Tape {
 public:
  Tape();
  virtual ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// Returns the innermost tape that records on this thread now, or null.
  static Tape* current();

  /// Requests the gradients of these tensors, which may be inputs that no op has used yet, or
  /// results of ops. Throws TapeError after backward, on a thread that didn't make the tape, or if
  /// an op has already used the tensor as a constant.
  template <class... Tensors>
  void watch(const Tensors&... x) {
    (watch_one(x), ...);
  }
  bool is_tracking(const Tensor& x) const { return find(x) >= 0; }

  /// Returns d loss / d x for every watched x; `loss` must have one element.
  Gradients backward(const Tensor& loss, const BackwardOptions& options = {});
  /// Returns d sum(y * dy) / d x for every watched x; dy has the shape and type of y. Throws
  /// TapeError if y depends on no watched tensor, after a backward without `keep`, on another
  /// thread, or in a backward function of this tape.
  Gradients backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options = {});
  /// Returns whether backward is running. While it runs, don't call it again or destroy the tape.
  bool runs_backward() const { return runs_backward_; }
  /// Calls the backward function of the op that made y, and returns the gradients of its inputs.
  /// Throws TapeError if no recorded op made y, or if backward has freed the function.
  Grads differentiate(const Tensor& y, const Tensor& dy) const;

  std::size_t size() const { return entries_.size(); }  ///< number of entries

 protected:
  /// Called before an untracked tensor is watched (`watched` is true), and when an op uses it as a
  /// constant. ClosedTape throws here if the tensor isn't one of its inputs.
  virtual void on_untracked(const Tensor& /*x*/, bool /*watched*/) {}

 private:
  friend struct TapeStack;
  friend struct HigherOrder;
  /// The record of one tensor.
  struct Entry {
    const char* op;    // the op that made the tensor; empty if no recorded op did
    std::uint64_t id;  // id of the tensor
    Shape shape;
    DType dtype;
    bool watched;
    const char* module;        // the module in which the op ran
    int first = 0, count = 0;  // range of the op's inputs in inputs_
    BackwardFunction backward = {};
  };
  enum class State { recording, resting, finished };  // resting: in a plain backward
  static constexpr int constant = -2;  // in entry_of_: an op used the tensor as a constant

  // ---- recording
  /// If x is a parameter's value, `lease` is its lease, which prevents changes of the parameter.
  void watch_one(const Tensor& x, const std::shared_ptr<void>& lease = nullptr);
  Entry& append(const char* op, const Tensor& y);
  void append(const OpCall& call, const Tensor& y, const Inputs& inputs, BackwardFunction backward);
  int find(const Tensor& x) const { return entry_of_.find(x.id()); }
  const int* inputs(const Entry& entry) const { return inputs_.data() + entry.first; }
  void check_thread(const char* what) const;

  // ---- backward
  int check_backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options) const;
  void run(int last, std::vector<Tensor>& gradients, std::vector<char>& reached, bool recorded,
           bool keep);
  static void check_count(const char* op, const Grads& grads, std::size_t count);
  Grads apply(int index, BackwardFunction backward, Tensor dy, GradientSums sums, bool recorded);
  void accept(Tensor& sum, int target, const char* op, std::size_t input, Tensor dx, bool recorded);
  void finish();

  template <class T>
  using Pooled = std::vector<T, PoolAllocator<T>>;
  Pooled<Entry> entries_;
  Pooled<int> inputs_;  // entry indices of the inputs of all entries; negative: constant
  IdMap entry_of_;      // tensor id -> entry, or `constant`
  std::vector<std::shared_ptr<void>> leases_;  // leases of the watched parameters
  const std::shared_ptr<TapeSlot> slot_;       // place in the thread's TapeStack
  State state_ = State::recording;
  bool runs_backward_ = false;
};

using Decomposition = std::function<Tensor()>;  ///< computes a fused op from primitive ops
/// Notifies the listener of an op, and appends the op to every recording tape.
Tensor record_call(const OpCall& call, Tensor y, const Inputs& inputs, BackwardFunction::F backward,
                   Decomposition decomposition);

/// Records an op on each tape that tracks one of its inputs, and returns y. Every op ends with this
/// call. `backward` takes `dy`, or `dy` and `GradientSums&`, and returns a gradient for each input;
/// it is null if the op has no gradient. If an input was broadcast, the tape sums its gradient to
/// the input's shape.
///
/// A backward function that consists of ops can itself be differentiated. A fused op's backward
/// function calls kernels instead, so the op also passes a `decomposition`, which computes y from
/// primitive ops. The decomposition runs only if a gradient of the op is differentiated again.
/// Without a decomposition, differentiating it again throws TapeError.
template <class F, class D = std::nullptr_t>
Tensor record(const OpCall& call, Tensor y, const Inputs& inputs, F&& backward,
              D&& decomposition = nullptr) {
  if (!Tape::current()) return y;
  if constexpr (std::is_invocable_v<std::decay_t<F>&, Tensor>)
    return record_call(
        call, std::move(y), inputs,
        [f = std::decay_t<F>(std::forward<F>(backward))](Tensor dy, GradientSums&) mutable {
          return f(std::move(dy));
        },
        std::forward<D>(decomposition));
  else
    return record_call(call, std::move(y), inputs, std::forward<F>(backward),
                       std::forward<D>(decomposition));
}

}  // namespace tapehead
