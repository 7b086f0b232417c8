// The tape, gradient checks, and ops whose forward and backward are Python functions.
#include "entered_tape.hpp"

#include <set>

namespace tapehead {
namespace {

std::vector<Tensor> tensors_in(const char* what, const py::iterable& given) {
  std::vector<Tensor> all;
  for (const py::handle x : given) {
    if (py::isinstance<Module>(x))
      throw ValueError("{}: expected tensors, got a module, whose parameters are watched when used",
                       what);
    if (!tensor_in(x))
      throw ValueError("{}: expected tensors, got a {}; convert it with tapehead.tensor", what,
                       Py_TYPE(x.ptr())->tp_name);
    all.push_back(value_in(x));
  }
  return all;
}

/// Python's Tape, which records during its `with` block. The table of recorded tensors can be shown
/// after the block too.
class Recording {
 public:
  explicit Recording(const py::args& given) : watched_(tensors_in("Tape", given)) {}
  ~Recording() {
    if (is_open()) EnteredTape::end(entered_);
  }
  Recording* enter() {
    if (is_open()) throw TapeError("Tape: already recording");
    entered_ = std::make_shared<EnteredTape>(watched_);
    return this;
  }
  void exit() {
    if (!is_open()) return;
    if (entered_->runs_backward())
      throw TapeError("Tape: can't end while its backward runs; end it after gradients() returns");
    EnteredTape::end(entered_);
  }
  /// Returns the open tape, shared so that it exists until the caller is done. Throws if it is
  /// closed.
  std::shared_ptr<EnteredTape> open() const {
    if (!is_open())
      throw TapeError("Tape: records and differentiates only within its `with` block");
    return entered_;
  }
  const TapeRecording& recorded() const {
    if (!entered_) throw TapeError("Tape: nothing recorded yet; use it in a `with` block");
    return entered_->recorded();
  }

 private:
  bool is_open() const { return entered_ && entered_->is_open(); }

  const std::vector<Tensor> watched_;
  std::shared_ptr<EnteredTape> entered_;
};

py::object gradients(const Recording& recording, const py::object& of_what, const py::object& of,
                     const py::object& dy, bool create_graph, bool kept, bool zeros) {
  const Tensor y = tensors_in("gradients", py::make_tuple(of_what))[0];
  const Tensor along = dy.is_none() ? Tensor() : to_tensor_beside(dy, y.dtype());
  const py::object by_path = py::isinstance<Module>(of) ? py::object(of.attr("parameters")) : of;
  const bool named = py::isinstance<py::dict>(by_path);
  const py::object listed = named ? by_path.attr("values")() : by_path;
  const auto wanted = of.is_none() ? std::vector<Tensor>() : tensors_in("gradients", listed);
  const std::shared_ptr<EnteredTape> entered = recording.open();
  Tape& tape = entered->tape();
  const BackwardOptions options{create_graph, kept, zeros};
  Gradients all = without_gil(
      [&] { return along ? tape.backward(y, along, options) : tape.backward(y, options); });
  if (of.is_none()) return py::cast(std::move(all));
  py::list found;
  for (const Tensor& x : wanted) found.append(all[x]);
  if (named) return py::dict(py::module_::import("builtins").attr("zip")(by_path, found));
  return std::move(found);
}

GradcheckResult gradchecked(const Function& f, const std::vector<Tensor>& inputs, double tolerance,
                            double step, int order, bool second) {
  return (second ? gradcheck_second : gradcheck)(f, inputs, {tolerance, step, order});
}

Tensor record_custom_op(const std::string& name, const Tensor& y, const std::vector<Tensor>& inputs,
                        const std::function<Grads(const Tensor&)>& rule) {
  static std::set<std::string> names;  // static, since tapes have pointers to them
  const char* op = names.insert(name).first->c_str();
  return record(op, y, inputs, rule);
}

}  // namespace

void bind_tape(py::module_& module) {
  py::class_<Recording>(module, "Tape",
                        "Records the ops of a `with` block and watches the given tensors.")
      .def(py::init<const py::args&>())
      .def("__enter__", &Recording::enter, Computing())
      .def(
          "__exit__", [](Recording& recording, const py::args&) { recording.exit(); }, Computing())
      .def(
          "watch",
          [](const Recording& recording, const py::args& given) {
            for (const Tensor& x : tensors_in("watch", given)) recording.open()->tape().watch(x);
            ++watch_calls();
          },
          Computing(), "Watches tensors created within the block.")
      .def("gradients", &gradients, "y"_a, "of"_a = py::none(), "dy"_a = py::none(),
           "create_graph"_a = false, "keep"_a = false, "zeros"_a = false, Computing(),
           "Returns d y / d x for each x in `of`, or d sum(y * dy) / d x; without dy, y must have "
           "one "
           "element. For a dict or a module, returns a dict with its keys. Without `of`, returns "
           "the "
           "gradients of all watched tensors, for an optimizer or gradients[x].")
      .def("__len__", [](const Recording& recording) { return recording.open()->tape().size(); })
      .def(
          "__str__", [](const Recording& recording) { return to_string(recording.recorded()); },
          Computing());

  py::class_<GradcheckResult>(
      module, "GradcheckResult",
      "The comparison of gradients with finite differences; true if they agree.")
      .def_readonly("passed", &GradcheckResult::passed,
                    "Whether all gradients agree within the tolerance.")
      .def_readonly("error", &GradcheckResult::error, "The largest relative error.")
      .def_readonly("comparisons", &GradcheckResult::comparisons,
                    "The number of gradient elements compared.")
      .def_readonly("culprit", &GradcheckResult::culprit,
                    "The op whose backward function is wrong; empty if all agree.")
      .def_readonly("doubt", &GradcheckResult::doubt,
                    "Why the comparison itself may be unreliable; otherwise empty.")
      .def("__bool__", [](const GradcheckResult& result) { return result.passed; })
      .def("__repr__", [](const GradcheckResult& result) {
        return fmt::format("{}: {}", result.passed ? "passed" : "failed", to_string(result));
      });
  module.def("gradcheck", &gradchecked, "f"_a, "inputs"_a, "tolerance"_a, "step"_a, "order"_a,
             "second"_a, WithoutGil());
  module.def("record", &record_custom_op);
  module.def("is_recorded", [](const py::object& x) { return is_tracked(value_in(x)); });
}

}  // namespace tapehead
