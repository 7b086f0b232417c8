#pragma once
// Modules written in Python: forward is a Python method, and the parts are attributes.
#include "bindings.hpp"

#include <functional>

namespace tapehead {

/// The pass of the module call running on this thread, shared by nested Python modules; null if
/// none is running.
Pass*& running_pass();
/// Replaces the running pass while it exists.
class RunningPassScope {
 public:
  explicit RunningPassScope(Pass& pass) : outer_(std::exchange(running_pass(), &pass)) {}
  ~RunningPassScope() { running_pass() = outer_; }
  RunningPassScope(const RunningPassScope&) = delete;
  RunningPassScope& operator=(const RunningPassScope&) = delete;

 private:
  Pass* outer_;
};

struct PythonModule : Module {
  Tensor forward(const Tensor& x, Pass& pass) const override;
  /// Visits the parameters and modules among the attributes, also in lists and dicts, in the order
  /// in which the attributes were first set. Attributes may form cycles.
  void visit(Visitor& v) override;

  bool named = false;  ///< whether `name_parts` has set the paths of its parts
};

/// A parameter or module in a tree.
struct ModulePart {
  int depth;
  std::string path, name, type;          ///< type: type of a module; empty for a parameter
  py::object object;                     ///< the Module or Parameter in Python
  std::shared_ptr<Parameter> parameter;  ///< null for a module
};
/// Lists all parts below a module in the order of `visit`, a parameter once for each of its paths.
/// The Python object of a part of a built-in layer has the attribute `_of`, (layer, path). The
/// layer owns the part; copying the part copies the layer.
std::vector<ModulePart> parts_of(const std::shared_ptr<Module>& module);
/// Sets the paths of all parts; error messages and files use them as names.
void name_parts(Module& module);
/// Returns the name of a module's Python type, or of its C++ type without the namespace.
std::string python_type_name(const Module& module);
/// Lists each parameter once, with its first path.
std::vector<ModulePart> named_parameters(const std::shared_ptr<Module>& module);
/// Throws ValueError if the machine has less memory than `bytes`. `what` begins the message:
/// `Linear: its weights need` gives `Linear: its weights need 40 GB; this machine has 25 GB`.
void check_fits(const std::string& what, double bytes);
/// Returns the type of the first f32 or f64 parameter; f32 if there is none.
DType dtype_of_weights(const Module& module);

}  // namespace tapehead
