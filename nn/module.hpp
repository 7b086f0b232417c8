#pragma once
#include "../core/parameter.hpp"
#include "../core/trace.hpp"
#include "pass.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tapehead {

class Visitor;

/// The base class of layers and models. Its members are options, parameters and other modules. The
/// Pass holds the state of a forward pass, so several threads can run one model at once.
struct Module {
  Module() = default;
  Module(Module&&) = default;  ///< don't move a module after making an optimizer for it
  Module& operator=(Module&&) = default;
  virtual ~Module() = default;
  /// Computes the output for x. Call operator() instead, which adds the module's path to errors.
  virtual Tensor forward(const Tensor& x, Pass& pass) const = 0;
  /// Calls the visitor with each member that is a parameter or a module, and its name.
  virtual void visit(Visitor& visitor) = 0;

  /// Calls `forward`. Ops recorded and errors thrown during the call name this module.
  Tensor operator()(const Tensor& x, Pass& pass) const;

  const char* path = "";  ///< path from the model's root, set by initialise; never freed

 protected:
  /// Calls f. Ops recorded and errors thrown during the call name this module.
  template <class F>
  Tensor within(const F& f) const {
    const ModuleScope scope(path);
    try {
      return f();
    } catch (Error& error) {
      error.at(path);
      throw;
    }
  }
};

/// The base class for walks over a tree of modules and parameters, as listed by Module::visit. A
/// derived class overrides `visit`, `enter` and `leave`, for example to collect all parameters.
class Visitor {
 public:
  virtual ~Visitor() = default;

  void operator()(const std::string& name, Parameter& parameter);  ///< skips an absent parameter
  void operator()(const std::string& name, Module& module);
  template <class M>
  void operator()(const std::string& name, std::unique_ptr<M>& module) {
    if (module) (*this)(name, *module);
  }
  template <class M>
  void operator()(const std::string& name, std::optional<M>& module) {
    if (module) (*this)(name, *module);
  }
  template <class M>
  void operator()(const std::string& name, std::vector<M>& modules) {
    for (std::size_t i = 0; i < modules.size(); ++i)
      (*this)(fmt::format("{}.{}", name, i), modules[i]);
  }

 protected:
  virtual void visit(const std::string& /*name*/, Parameter&) {}
  virtual void enter(const std::string& /*name*/, Module&) {}
  virtual void leave(Module&) {}
  /// Returns the current path from the root of the walk: `blocks.0.attention.qkv.weight`.
  const std::string& path() const { return path_; }

 private:
  void descend(const std::string& name, const std::function<void()>& f);

  std::string path_;
};

/// Returns the name of the module's C++ type, without its namespace.
std::string cpp_type(const Module& module);

/// Returns `made`, the result of a user's function. If it is null, throws a ValueError that begins
/// with the name `maker`.
template <class M>
std::unique_ptr<M> require_result(const std::string& maker, std::unique_ptr<M> made) {
  if (!made) throw ValueError("{}: its factory function returned null", maker);
  return made;
}

}  // namespace tapehead
