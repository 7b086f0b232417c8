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

struct Module;

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

/// `made`, which a program's own function has returned. Throws ValueError, in which that is called
/// `maker`, if it is null.
template <class M>
std::unique_ptr<M> returned_by(const std::string& maker, std::unique_ptr<M> made) {
  if (!made) throw ValueError("{}: what should make it returned null", maker);
  return made;
}

/// Calls f with each parameter of a module, in the order of `visit`, and with its path from there.
void walk(Module& module, const std::function<void(const std::string& path, Parameter&)>& f);
void walk(const Module& module,
          const std::function<void(const std::string& path, const Parameter&)>& f);
std::vector<Parameter*> parameters(Module& module);
std::vector<const Parameter*> parameters(const Module& module);
/// The number of elements of all parameters, which don't need to be initialised.
Index count_parameters(const Module& module);
/// module(x, pass) with other values for its parameters, in the order of `visit`: tensors of their
/// shapes, which get the gradients. Throws ValueError for another number, ShapeError for others.
Tensor functional_call(const Module& module, const std::vector<Tensor>& values, const Tensor& x,
                       Pass& pass);
/// Names a model's modules and parameters by their paths, and gives the parameters their type, but
/// no values. Throws Error if a parameter is listed twice.
void outline(Module& module, DType dtype = DType::f32);
/// The same, and draws every parameter's first value, from a random stream of its own.
void initialise(Module& module, std::uint64_t seed, DType dtype = DType::f32);
void convert(Module& module, DType dtype);
/// The module as a tree: names, types, shapes, numbers of elements. Nothing needs to be
/// initialised.
std::string tree(const Module& module);

}  // namespace tapehead
