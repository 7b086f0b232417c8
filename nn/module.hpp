#pragma once
#include "../core/parameter.hpp"
#include "pass.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tapehead {

struct Module;

/// Walks a module's tree by the module's own list, its `visit`. On the way it tells each module and
/// parameter its path, `blocks.0.attention.qkv.weight`.
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
  virtual void visit(Parameter&) {}
  virtual void enter(const std::string& name, Module&) { (void)name; }
  virtual void leave(Module&) {}

 private:
  std::string path_;
};

/// A layer: its options, its parameters as named members, `forward` and `visit`. It holds nothing
/// of a pass, so that several threads run one model at once.
struct Module {
  virtual ~Module() = default;
  virtual Tensor forward(const Tensor& x, Pass& pass) const = 0;
  /// Names every parameter and module that belongs to this one.
  virtual void visit(Visitor& visitor) = 0;

  /// forward, with ops and errors told in which module they are.
  Tensor operator()(const Tensor& x, Pass& pass) const;

  const char* path = "";  ///< set by a visit; lives forever

 protected:
  /// f(), with ops and errors told in this module.
  Tensor within(const std::function<Tensor()>& f) const;
};

std::vector<Parameter*> parameters(Module& module);
/// The number of values, absent and frozen ones aside or not; nothing needs to be initialised.
Index count_parameters(Module& module);
/// Draws every parameter's first value, each from its own stream of the seed.
void initialise(Module& module, std::uint64_t seed, DType dtype = DType::f32);
void convert(Module& module, DType dtype);
/// The module as a tree: names, types, shapes, numbers of parameters.
std::string tree(Module& module);

}  // namespace tapehead
