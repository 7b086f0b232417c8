#pragma once
// A module whose forward is a function of Python, and whose parts are attributes of the object.
#include "bindings.hpp"

#include <functional>

namespace tapehead {

/// The pass that runs on this thread, which modules that Python calls within another share: null
/// outside of any.
Pass*& running_pass();
/// Makes a pass the one that runs, while it is alive.
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
  /// Its attributes in the order in which they were set: parameters and modules, and those in lists
  /// and dicts. An attribute may lead back to it.
  void visit(Visitor& v) override;

  bool named = false;  ///< its parts know their paths
};

/// A parameter or a module in a tree.
struct ModulePart {
  int depth;
  std::string path, name, type;          ///< the type of a module; empty for a parameter
  py::object object;                     ///< in Python
  std::shared_ptr<Parameter> parameter;  ///< null for a module
};
/// Lists all parts below a module, in the order of `visit`. A parameter with two paths is listed
/// twice. The object of a part of a built-in layer has the attribute `_of`, (layer, path): the
/// layer owns the part, and a copy of the part is the part of a copy of the layer.
std::vector<ModulePart> parts_of(const std::shared_ptr<Module>& module);
/// Tells the parts their paths, by which errors and files name them.
void name_parts(Module& module);
/// The name of a module's type, of Python or of C++ without its namespace.
std::string python_type_name(const Module& module);
/// Lists the parameters by the first path of each.
std::vector<ModulePart> named_parameters(const std::shared_ptr<Module>& module);
/// Throws ValueError if something needs more bytes than there are: `Linear: its weights need 40 GB;
/// this machine has 25 GB`.
void check_fits(const std::string& what, double bytes);
/// The type of its first parameter of floats; f32 if it has none.
DType dtype_of_weights(const Module& module);

}  // namespace tapehead
