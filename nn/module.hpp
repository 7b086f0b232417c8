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

/// A layer: its options, its parameters as named members, `forward` and `visit`. It keeps nothing
/// of a pass, so that several threads can run one model at once.
struct Module {
  Module() = default;
  Module(Module&&) = default;  ///< while a model is built; optimizers point into it later
  Module& operator=(Module&&) = default;
  virtual ~Module() = default;
  virtual Tensor forward(const Tensor& x, Pass& pass) const = 0;
  /// Calls the visitor with every parameter and module of this one, and their names.
  virtual void visit(Visitor& visitor) = 0;

  /// forward; what is recorded meanwhile, and what goes wrong, names this module.
  Tensor operator()(const Tensor& x, Pass& pass) const;

  const char* path = "";  ///< from the model's root, set by initialise or outline; lives forever

 protected:
  /// f(); what is recorded meanwhile, and what goes wrong, names this module.
  template <class F>
  Tensor within(const F& f) const {
    const Scope scope(path);
    try {
      return f();
    } catch (Error& error) {
      error.at(path);
      throw;
    }
  }
};

/// Walks the tree below a module, guided by each module's `visit`. What is done on the way is up to
/// the visitors that derive from this.
class Visitor {
 public:
  virtual ~Visitor() = default;

  void operator()(const std::string& name, Parameter& parameter);  ///< an absent one is skipped
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
  /// The path to what is visited from where the walk began: `blocks.0.attention.qkv.weight`.
  const std::string& path() const { return path_; }

 private:
  void below(const std::string& name, const std::function<void()>& f);

  std::string path_;
};

/// Returns the name of the module's C++ type, without its namespace.
std::string cpp_type(const Module& module);

/// `made`, which a program's own function has returned. Throws ValueError, in which that is called
/// `maker`, if it is null.
template <class M>
std::unique_ptr<M> returned_by(const std::string& maker, std::unique_ptr<M> made) {
  if (!made) throw ValueError("{}: what should make it returned null", maker);
  return made;
}

}  // namespace tapehead
