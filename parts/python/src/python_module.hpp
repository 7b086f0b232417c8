#pragma once
// Modules whose forward is a Python method and whose parts are attributes of the object.
#include "bindings.hpp"

#include <functional>

namespace tapehead {

/// The pass running on this thread, which nested Python modules share; null if there is none.
Pass*& running_pass();
/// Sets the running pass while it exists.
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
  /// Visits attributes in the order in which they were set: parameters and modules, also in lists
  /// and dicts. Attributes may form cycles.
  void visit(Visitor& v) override;

  bool named = false;  ///< whether its parts have their paths
};

/// A parameter or module in a tree.
struct ModulePart {
  int depth;
  std::string path, name, type;          ///< type: module type; empty for a parameter
  py::object object;                     ///< Python object
  std::shared_ptr<Parameter> parameter;  ///< null for a module
};
/// Lists all parts below a module in the order of `visit`. A parameter with two paths is listed
/// twice. Objects of parts of a built-in layer have the attribute `_of`, (layer, path). The layer
/// owns its parts, and a copy of a part is the part of a copy of the layer.
std::vector<ModulePart> parts_of(const std::shared_ptr<Module>& module);
/// Sets the paths of all parts, which errors and files use as names.
void name_parts(Module& module);
/// Returns the name of a module's Python type, or of its C++ type without the namespace.
std::string python_type_name(const Module& module);
/// Lists the parameters by their first paths.
std::vector<ModulePart> named_parameters(const std::shared_ptr<Module>& module);
/// Throws ValueError if something needs more memory than there is: `Linear: its weights need 40 GB;
/// this machine has 25 GB`.
void check_fits(const std::string& what, double bytes);
/// Returns the type of the first float parameter; f32 if there is none.
DType dtype_of_weights(const Module& module);

}  // namespace tapehead
