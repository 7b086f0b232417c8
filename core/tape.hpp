#pragma once
#include "tensor.hpp"

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tapehead {

/// The gradients of an op's inputs, in their order. No tensor stands for zero.
using Grads = std::vector<Tensor>;
/// Maps the gradient of an op's output to those of its inputs. It is called once, or a copy of it.
using Rule = std::function<Grads(Tensor dy)>;
/// Computes a fused op's output again from primitive ops.
using Decomposition = std::function<Tensor()>;

/// The gradients of one loss: a value, to be read, added and handed to an optimizer.
class Gradients {
 public:
  /// The gradient of a watched tensor or parameter, in its shape and type; zeros where the loss
  /// doesn't depend on it. Throws TapeError for a tensor that the tape didn't watch.
  Tensor operator[](const Tensor& x) const;
  bool contains(const Tensor& x) const { return slots_.count(x.id()) > 0; }

  /// The same with every gradient multiplied by `factor`, which is done when they are read.
  Gradients scaled(double factor) &&;
  double factor() const { return factor_; }
  /// The stored gradient, still to be multiplied by factor(); no tensor stands for zeros.
  const Tensor& stored(const Tensor& x) const;
  /// All stored gradients, in the order in which their tensors were first watched.
  std::vector<Tensor> all() const;

  /// Of the sum of several losses, added in their order: shards, or accumulated batches. At least
  /// one, equally scaled.
  static Gradients sum(std::vector<Gradients> parts);

 private:
  friend class Tape;
  struct Entry {
    std::uint64_t id;
    Shape shape;
    DType dtype;
    Tensor gradient;
  };
  const Entry& entry(const Tensor& x) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, std::size_t> slots_;
  double factor_ = 1;
};

struct BackwardOptions {
  bool create_graph = false;  ///< record the gradients' own computation, to differentiate it again
  bool keep = false;          ///< keep the rules, so that backward can be called again
};

/// Records what is computed on this thread while it is alive, and differentiates it. Recording
/// appends; so the entries stand in topological order, and backward is one loop from end to start.
/// The innermost living tape records. Once backward has run (without `keep` or `create_graph`) the
/// tape has done its work: its rules and what they saved are freed, and nothing more is recorded.
class Tape {
 public:
  Tape();
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// The tape that records on this thread now, or null.
  static Tape* current();

  /// Asks for the gradients of these tensors: inputs before they are used, or results of ops.
  template <class... Tensors>
  void watch(const Tensors&... x) {
    (watch_one(x), ...);
  }
  bool knows(const Tensor& x) const { return slots_.count(x.id()) > 0; }

  /// d loss / d x for every watched x; the loss has one element.
  Gradients backward(const Tensor& loss, BackwardOptions options = {});
  /// d sum(y * dy) / d x; dy has y's shape and type.
  Gradients backward(const Tensor& y, const Tensor& dy, BackwardOptions options = {});

  /// For rules: takes what has reached the gradient of their input so far, to add to it in place
  /// and give back the whole, where the gradient of a few rows would be a table of zeros. No tensor
  /// if nothing has, if others hold it, or if the gradient's own computation is recorded.
  static Tensor take_so_far(std::size_t input);

  std::size_t size() const { return entries_.size(); }

  /// For ops; see `record`.
  Tensor add(const char* op, Tensor y, const std::vector<Tensor>& inputs, Rule rule,
             Decomposition decomposition);

  /// A table: each entry's op, inputs, shape, value and gradient (of small tensors), module.
  friend std::string to_string(const Tape& tape);

 private:
  struct Entry {
    const char* op;
    std::vector<int> inputs;  // entries; -1 for a constant
    Shape shape;
    DType dtype;
    const char* module;
    Rule rule;
    Decomposition decomposition;
    Tensor watched;          // holds a watched tensor, whose gradient is wanted
    Tensor value, gradient;  // for printing, of small tensors
  };
  using Slots = std::vector<Tensor>;  // the gradient of each entry, as far as it has arrived

  void watch_one(const Tensor& x);
  int append(const char* op, const Tensor& y);
  int find(const Tensor& x) const;
  /// Runs the rules of entries `last` to `first`; what reaches earlier entries stays in slots.
  void sweep(Slots& slots, int first, int last, BackwardOptions options);
  Grads apply(int index, Rule rule, Tensor dy, bool create_graph);
  Grads differentiate_decomposition(int index, const Tensor& dy);
  void accept(Slots& slots, int index, std::size_t input, Tensor dx, bool create_graph);
  void finish();

  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, int> slots_;
  Tape* outer_;
  bool finished_ = false;
};

/// Whether the gradient of x is wanted: a rule may skip the work for inputs that aren't tracked.
inline bool tracked(const Tensor& x) {
  const Tape* tape = Tape::current();
  return tape && tape->knows(x);
}

/// Ends an op: returns y, and where a tape records and knows an input, notes how gradients pass.
/// The engine sums each gradient over the axes along which its input was broadcast.
/// A rule is written in ops, so that it can itself be differentiated; a fused op, whose rule calls
/// kernels, hands over its `decomposition` too, which is recorded and differentiated in the rule's
/// place where a gradient is to be differentiated again.
template <class R, class T = std::nullptr_t>
Tensor record(const char* op, Tensor y, const std::vector<Tensor>& inputs, R&& rule,
              T&& decomposition = nullptr) {
  Tape* tape = Tape::current();
  if (!tape) return y;
  return tape->add(op, std::move(y), inputs, std::forward<R>(rule), std::forward<T>(decomposition));
}

/// Stops recording on this thread while it lives.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Tape* paused_;
};

/// Names the module in which ops run while it lives. `name` must live as long as the tapes.
class Scope {
 public:
  explicit Scope(const char* name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  static const char* current();

 private:
  const char* outer_;
};

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Tape> : tapehead::TextFormatter<tapehead::Tape> {};
