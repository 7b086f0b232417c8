#include "parameters.hpp"
#include "../core/plural.hpp"
#include "../core/runtime/parallel.hpp"
#include "../core/substitution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>

namespace tapehead {
namespace {

/// Returns a copy of the text that is never freed, because tapes and errors may name a module that
/// no longer exists.
const char* intern(const std::string& text) {
  static std::mutex mutex;
  static auto& texts = *new std::unordered_set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return texts.insert(text).first->c_str();
}

/// Casts away const for walks that don't change the module. Module::visit isn't const, because
/// other visitors change the parameters.
Module& listed(const Module& module) { return const_cast<Module&>(module); }

class Walk : public Visitor {
 public:
  explicit Walk(const std::function<void(const std::string&, Parameter&)>& f) : f_(f) {}

 private:
  /// Passes on a shared parameter once, with the path that the walk meets first.
  void visit(const std::string&, Parameter& parameter) override {
    Parameter& owner = parameter.owner();
    const bool is_new = seen_.insert(&owner).second;
    if (is_new || &owner == &parameter) f_(path(), owner);
  }

  const std::function<void(const std::string&, Parameter&)>& f_;
  std::unordered_set<const Parameter*> seen_;
};

class Namer : public Visitor {
 public:
  Namer(Module& root, DType dtype) : dtype_(dtype) { root.path = ""; }

 private:
  void visit(const std::string&, Parameter& parameter) override {
    if (!seen_.insert(&parameter).second)
      throw Error("visit lists parameter '{}' twice, also as '{}'; list each module once",
                  parameter.path, path());
    parameter.path = path();
    parameter.dtype = dtype_;
  }
  void enter(const std::string&, Module& module) override { module.path = intern(path()); }

  DType dtype_;
  std::unordered_set<const Parameter*> seen_;
};

}  // namespace

void walk(Module& module, const std::function<void(const std::string&, Parameter&)>& f) {
  Walk visitor(f);
  module.visit(visitor);
}

void walk(const Module& module,
          const std::function<void(const std::string&, const Parameter&)>& f) {
  walk(listed(module), std::function<void(const std::string&, Parameter&)>(f));
}

std::vector<Parameter*> parameters(Module& module) {
  std::vector<Parameter*> all;
  walk(module, [&](const std::string&, Parameter& parameter) { all.push_back(&parameter); });
  return all;
}

std::vector<const Parameter*> parameters(const Module& module) {
  std::vector<const Parameter*> all;
  walk(module, [&](const std::string&, const Parameter& parameter) { all.push_back(&parameter); });
  return all;
}

Index count_parameters(const Module& module) {
  Index count = 0;
  std::unordered_set<const Parameter*> seen;
  walk(module, [&](const std::string&, const Parameter& p) {
    if (seen.insert(&p).second) count += p.shape.size();
  });
  return count;
}

void share_parameters(Module& module, Module& other) {
  const std::vector<Parameter*> own = parameters(module), shared = parameters(other);
  const bool match = std::equal(own.begin(), own.end(), shared.begin(), shared.end(),
                                [](const auto* a, const auto* b) { return a->shape == b->shape; });
  if (!match)
    throw ValueError("share_parameters: the two modules have parameters of different shapes");
  for (std::size_t i = 0; i < own.size(); ++i) own[i]->share(*shared[i]);
}

Tensor functional_call(const Module& module, const std::vector<Tensor>& values, const Tensor& x,
                       Pass& pass) {
  const std::vector<const Parameter*> all = parameters(module);
  if (all.size() != values.size())
    throw ValueError("functional_call: got {}, but the module has {}",
                     plural(values.size(), "value"), plural(all.size(), "parameter"));
  Substitution::Values others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!values[i] || values[i].shape() != all[i]->shape)
      throw ShapeError("functional_call: parameter '{}' is {}, but its value is {}", all[i]->path,
                       all[i]->shape, values[i] ? fmt::format("{}", values[i].shape()) : "none");
    others[all[i]] = values[i];
  }
  const Substitution now(std::move(others));
  return module(x, pass);
}

void declare_parameters(Module& module, DType dtype) {
  Namer namer(module, dtype);
  module.visit(namer);
}

void initialise(Module& module, std::uint64_t seed, DType dtype) {
  declare_parameters(module, dtype);
  RandomKey key;
  key.seed = seed;
  key.draw = Draw::weights;
  const std::vector<Parameter*> all = parameters(module);
  parallel_for(static_cast<Index>(all.size()), [&](Index i) {
    RandomKey own = key;
    own.site = static_cast<std::uint32_t>(i);
    all[i]->initialise(own, dtype);
  });
}

void convert(Module& module, DType dtype) {
  for (Parameter* parameter : parameters(module)) {
    const Pause pause;
    const Tensor value = cast(parameter->value(), dtype);
    parameter->dtype = dtype;
    parameter->set(value);
  }
}

}  // namespace tapehead
