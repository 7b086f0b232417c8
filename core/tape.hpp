#pragma once
#include "gradients.hpp"
#include "runtime/id_map.hpp"

#include <functional>
#include <initializer_list>
#include <vector>

namespace tapehead {

class Arrived;

/// The inputs of an op, for as long as a call lasts: `{a, b}`, or a vector.
class Inputs {
 public:
  using Some = std::initializer_list<std::reference_wrapper<const Tensor>>;
  Inputs(Some some) : some_(some) {}
  Inputs(const std::vector<Tensor>& all) : all_(&all) {}

  std::size_t size() const { return all_ ? all_->size() : some_.size(); }
  const Tensor& operator[](std::size_t i) const {
    return all_ ? (*all_)[i] : some_.begin()[i].get();
  }

 private:
  Some some_;
  const std::vector<Tensor>* all_ = nullptr;
};

/// A gradient rule: the function from the gradient of an op's output to those of its inputs. It is
/// called once; to be called again, it is copied first. Most rules only take `dy`: see `record`.
using Rule = std::function<Grads(Tensor dy, Arrived& arrived)>;
/// Computes a fused op's output from primitive ops.
using Decomposition = std::function<Tensor()>;

struct BackwardOptions {
  bool create_graph = false;  ///< record how gradients are computed, to differentiate them again
  bool keep = false;          ///< keep the rules, so that backward can be called again
  bool zeros = false;  ///< the gradient of what the loss can't depend on is zeros, not an error
  /// Called with each watched tensor that the loss depends on, and with its gradient, as soon as
  /// that is whole: from the end of the tape to its start.
  std::function<void(const Tensor& x, const Tensor& gradient)> ready = {};
};

/// Records what is computed on this thread while it is alive, and differentiates it. To watch a
/// tensor is to ask for its gradient. A tape knows a tensor if it has an entry for it: because it
/// watches it, or because an op made it of tensors that the tape knows. Recording only appends, so
/// the entries are in topological order, and backward is one loop from end to start.
///
/// Once backward has run (without `keep` or `create_graph`), or has failed, the tape is finished:
/// its rules and what they saved are freed, and nothing more is recorded.
///
/// All living tapes of a thread record, except those made before a Pause that is alive; so the
/// gradients of an inner tape can be differentiated by an outer one. Tapes may end in any order and
/// on any thread; everything else must happen on the thread that made them.
class Tape {
 public:
  Tape();
  ~Tape();
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
  /// Has every tape that records on this thread watch a parameter that is about to be used.
  static void watch_by_all(const Tensor& x);
  bool knows(const Tensor& x) const { return find(x) >= 0; }
  /// From now on, to read a parameter or a tensor of an outer tape that this tape doesn't know
  /// throws TapeError in the name of `who`: its gradient would be lost.
  void refuse_others(const char* who) { refusing_ = who; }

  /// d loss / d x for every watched x; the loss has one element.
  Gradients backward(const Tensor& loss, const BackwardOptions& options = {});
  /// d sum(y * dy) / d x; dy has y's shape and type. Throws TapeError if y depends on nothing that
  /// the tape watches, after a backward that kept nothing, or on a thread other than the one that
  /// made the tape, or within a rule that this tape's backward has called.
  Gradients backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options = {});

  /// Whether backward is running: then it can't begin again, and the tape must not end.
  bool runs_backward() const { return runs_backward_; }

  /// What the rule of the op that made y, alone, gives the op's inputs for dy; null tensors for
  /// zeros. Throws TapeError if no op that is recorded made y, or once backward has freed the
  /// rules.
  Grads differentiate(const Tensor& y, const Tensor& dy) const;

  std::size_t size() const { return entries_.size(); }

  /// For ops; see `record`.
  Tensor add(const char* op, Tensor y, const Inputs& inputs, Rule rule,
             Decomposition decomposition);

 private:
  friend class Pause;
  friend bool known(const Tensor& x);
  struct Recorder;
  /// What was recorded of one tensor.
  struct Entry {
    Entry(const char* name, const Tensor& y);
    const char* op;    // empty for a tensor that is watched, and that no recorded op made
    std::uint64_t id;  // of the tensor
    std::size_t first = 0, count = 0;  // its inputs, in inputs_
    Shape shape;
    DType dtype;
    const char* module;
    Rule rule;
    Decomposition decomposition;
    std::vector<Tensor> fused;  // what the decomposition computes from, where there is one
    Tensor watched;             // the tensor itself where it is watched, else none
  };
  /// A rule that runs while what it computes is recorded.
  struct Running {
    const char* op;
    std::uint64_t y, dy;  // ids of the op's result and of its gradient
    std::uint64_t began;  // tensors with a higher id were made since
  };

  // ---- recording: tape.cpp
  template <class F>
  static void each_recording(F f);
  bool others_record() const;
  void watch_one(const Tensor& x);
  void start_watching(const Tensor& x);
  int append(const char* op, const Tensor& y);
  void append_op(const char* op, const Tensor& y, const Inputs& inputs, Rule&& rule,
                 Decomposition&& decomposition);
  void take_for_constant(const Tensor& x);
  [[noreturn]] void refuse(const Tensor& x) const;
  static void mark_opaque(const Tensor& x, const Running& running);
  void append_opaque(const Tensor& x, const Running& running);
  int find(const Tensor& x) const { return entry_of_.find(x.id()); }
  const int* inputs(const Entry& entry) const { return inputs_.data() + entry.first; }
  void check_thread(const char* what) const;

  // ---- backward: backward.cpp. `gradients` has what has arrived so far for each entry.
  /// Runs the rules of entries `last` to `first`; gradients of earlier entries stay where they are.
  void sweep(std::vector<Tensor>& gradients, int first, int last, const BackwardOptions& options);
  Grads apply(int index, Rule rule, Tensor dy, Arrived arrived, bool create_graph);
  Grads apply_recorded(int index, Rule rule, const Tensor& dy, Arrived arrived);
  Grads differentiate_fused(int index, const Rule& rule, const Tensor& dy);
  void accept(std::vector<Tensor>& gradients, int index, std::size_t input, Tensor dx,
              bool create_graph);
  std::vector<bool> reached_from(int last) const;
  void finish();

  std::vector<Entry> entries_;
  std::vector<int> inputs_;  // of all entries: entries; -1 for a constant
  IdMap entry_of_;           // tensor id -> entry
  std::shared_ptr<Recorder> recorder_;
  const std::uint64_t serial_;        // of all tapes
  const bool enclosed_;               // made while another tape or a pause was alive
  const Running* running_ = nullptr;  // the rule that runs and is recorded
  const char* refusing_ = nullptr;    // in whose name other tensors are refused
  bool finished_ = false;
  bool runs_backward_ = false;
  bool resting_ = false;  // doesn't record, while others record how it runs backward
};

/// While it is alive, the tapes that were made before it on this thread don't record.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  std::shared_ptr<Tape::Recorder> recorder_;
};

/// Whether a tape that records on this thread knows x: a rule may skip the work for other inputs.
bool known(const Tensor& x);

/// Ends an op: returns y and, if a tape records and knows an input, records the gradient rule. The
/// engine sums each gradient over the axes along which its input was broadcast. A rule takes `dy`,
/// or `dy` and `Arrived&`, and returns Grads. It is written in ops, so that it can be
/// differentiated itself. The rule of a fused op calls kernels instead, so a fused op also passes
/// its `decomposition`, which is computed and differentiated where a gradient is differentiated
/// again. Without it, what such a rule computed can't be differentiated,
/// and to try throws TapeError.
template <class R, class D = std::nullptr_t>
Tensor record(const char* op, Tensor y, const Inputs& inputs, R&& rule,
              D&& decomposition = nullptr) {
  Tape* tape = Tape::current();
  if (!tape) return y;
  if constexpr (std::is_invocable_v<R&, Tensor, Arrived&>)
    return tape->add(op, std::move(y), inputs, std::forward<R>(rule),
                     std::forward<D>(decomposition));
  else
    return tape->add(
        op, std::move(y), inputs,
        [rule = std::decay_t<R>(std::forward<R>(rule))](Tensor dy, Arrived&) mutable {
          return rule(std::move(dy));
        },
        std::forward<D>(decomposition));
}

/// The gradients that have arrived so far at the inputs of an op. A rule whose gradient is mostly
/// zeros, such as that of a few rows of a table, takes the sum so far, adds to it in place and
/// returns the whole.
class Arrived {
 public:
  /// Takes over the sum for an input, which is no longer kept here. Null if nothing has
  /// arrived, if something else holds it too, or if the computation of the gradient is recorded.
  Tensor take(std::size_t input);

 private:
  friend class Tape;
  Arrived(std::vector<Tensor>* gradients, const int* inputs)
      : gradients_(gradients), inputs_(inputs) {}

  std::vector<Tensor>* gradients_;  // of all entries; null: nothing may be taken
  const int* inputs_;               // entries; -1 for a constant
};

}  // namespace tapehead
