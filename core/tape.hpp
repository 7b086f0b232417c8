#pragma once
// Recording and differentiation. Tapes within tapes, and gradients of gradients, are in
// higher_order.hpp.
#include "gradients.hpp"
#include "op_call.hpp"
#include "runtime/id_map.hpp"

#include <functional>

namespace tapehead {

struct Fused;
struct TapeSlot;

/// The backward function of one call of an op (its vector-Jacobian product): maps the gradient of
/// the output to the gradients of the inputs, and holds what it needs of the forward pass.
struct BackwardFunction {
  using F = std::function<Grads(Tensor dy, GradientSums& sums)>;
  F f;                                      ///< empty: none
  std::shared_ptr<const Fused> fused = {};  ///< of an op that has a decomposition: see `record`
};

struct BackwardOptions {
  bool create_graph = false;  ///< record how gradients are computed, to differentiate them again
  bool keep = false;          ///< keep the backward functions, so that backward can run again
  bool zeros = false;  ///< the gradient of what the loss can't depend on is zeros, not an error
};

/// Records the ops of this thread while it is alive, and differentiates what they computed. To
/// watch a tensor is to ask for its gradient. A tape knows a tensor if it has an entry for it:
/// because it watches it, or because an op made it from tensors that the tape knows. Recording only
/// appends, so the entries are in topological order, and backward is one loop from end to start.
///
/// After backward, or an error in it, the tape is finished: it has freed its backward functions and
/// what they saved, and records nothing more. With `keep` or `create_graph` it goes on. A tape may
/// end on any thread; everything else must happen on the thread that made it.
class Tape {
 public:
  Tape();
  virtual ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// The innermost tape that records on this thread now, or null.
  static Tape* current();

  /// Asks for the gradients of these tensors: inputs before they are used, or results of ops.
  /// Throws TapeError after backward, on a thread other than the one that made the tape, or if an
  /// op has already taken the tensor for a constant.
  template <class... Tensors>
  void watch(const Tensors&... x) {
    (watch_one(x), ...);
  }
  bool knows(const Tensor& x) const { return find(x) >= 0; }

  /// d loss / d x for every watched x; the loss has one element.
  Gradients backward(const Tensor& loss, const BackwardOptions& options = {});
  /// d sum(y * dy) / d x; dy has y's shape and type. Throws TapeError if y depends on nothing that
  /// the tape watches, after a backward that kept nothing, on a thread other than the one that made
  /// the tape, or within a backward function that this tape's backward has called.
  Gradients backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options = {});
  /// Whether backward is running: then it can't begin again, and the tape must not end.
  bool runs_backward() const { return runs_backward_; }
  /// What the backward function of the op that made y gives the op's inputs for dy; null tensors
  /// for zeros. Throws TapeError if no recorded op made y, or once backward has freed the function.
  Grads differentiate(const Tensor& y, const Tensor& dy) const;

  std::size_t size() const { return entries_.size(); }

 protected:
  /// Called before an unknown tensor is `watched`, or else before an op takes it for a constant.
  virtual void meet(const Tensor& /*x*/, bool /*watched*/) {}

 private:
  friend struct HigherOrder;
  /// What is recorded of one tensor.
  struct Entry {
    const char* op;    // that made it; empty for one that is watched and that no recorded op made
    std::uint64_t id;  // of the tensor
    Shape shape;
    DType dtype;
    bool watched;
    const char* module;        // in which the op ran
    int first = 0, count = 0;  // its inputs, in inputs_
    BackwardFunction backward = {};
  };
  enum class State { recording, resting, finished };
  static constexpr int constant = -2;  // in entry_of_, for a tensor that an op took for a constant

  // ---- recording
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
  Pooled<int> inputs_;  // of all entries: their entries; negative for constants
  IdMap entry_of_;      // tensor id -> entry, or `constant`
  std::vector<std::shared_ptr<void>> leases_;  // of the parameters that it watches
  const std::shared_ptr<TapeSlot> slot_;       // its place among the thread's tapes
  State state_ = State::recording;
  bool runs_backward_ = false;
};

using Decomposition = std::function<Tensor()>;
/// What `record` does where a tape records.
Tensor record_call(const OpCall& call, Tensor y, const Inputs& inputs, BackwardFunction::F backward,
                   Decomposition decomposition);

/// Ends an op: returns y and, if a tape records and knows an input, records the op with its
/// backward function. `backward` takes `dy`, or `dy` and `GradientSums&`, and returns a gradient
/// for each input; null: the op has none. The engine sums each gradient over the axes along which
/// its input was broadcast.
///
/// A backward function that is written in ops can be differentiated itself. That of a fused op
/// calls kernels instead, so a fused op also passes its `decomposition`: the same result from
/// primitive ops, computed only where a gradient is differentiated again. Without it, to
/// differentiate such a gradient throws TapeError.
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
