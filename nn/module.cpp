#include "module.hpp"
#include "../core/plural.hpp"
#include "../core/runtime/parallel.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <typeinfo>
#include <unordered_set>

namespace tapehead {
namespace {

/// A copy that lives forever: tapes and errors may name a module that is gone.
const char* intern(const std::string& text) {
  static std::mutex mutex;
  static auto& texts = *new std::unordered_set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return texts.insert(text).first->c_str();
}

/// For walks that change nothing: `visit` isn't const, since others change what it lists.
Module& listed(const Module& module) { return const_cast<Module&>(module); }

/// The name of the module's type, without its namespace.
std::string type_name(const Module& module) {
  char* full = abi::__cxa_demangle(typeid(module).name(), nullptr, nullptr, nullptr);
  std::string name = full ? full : typeid(module).name();
  std::free(full);
  return name.substr(name.rfind(':') + 1);
}

/// 1234567 as 1,234,567.
std::string grouped(Index n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<Index>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, ",");
  return digits;
}

class Walk : public Visitor {
 public:
  explicit Walk(const std::function<void(const std::string&, Parameter&)>& f) : f_(f) {}

 private:
  void visit(const std::string&, Parameter& parameter) override { f_(path(), parameter); }

  const std::function<void(const std::string&, Parameter&)>& f_;
};

class Namer : public Visitor {
 public:
  Namer(Module& root, DType dtype) : dtype_(dtype) { root.path = ""; }

 private:
  void visit(const std::string&, Parameter& parameter) override {
    if (!seen_.insert(&parameter).second)
      throw Error("visit lists parameter '{}' again, as '{}'; it must list each module once",
                  parameter.path, path());
    parameter.path = path();
    parameter.dtype = dtype_;
  }
  void enter(const std::string&, Module& module) override { module.path = intern(path()); }

  DType dtype_;
  std::unordered_set<const Parameter*> seen_;
};

class TreePrinter : public Visitor {
 public:
  explicit TreePrinter(const Module& root) { line(type_name(root), root); }
  std::string text() const {
    std::size_t widest = 0;
    for (const auto& [left, right] : lines_) widest = std::max(widest, left.size());
    std::string all;
    for (const auto& [left, right] : lines_)
      all += right.empty() ? left + "\n" : fmt::format("{:<{}}  {}\n", left, widest, right);
    return all;
  }

 private:
  void visit(const std::string& name, Parameter& p) override {
    lines_.emplace_back(indent() + name, to_string(p.shape) + (p.trainable ? "" : "  frozen"));
  }
  void enter(const std::string& name, Module& module) override {
    ++depth_;
    line(name + ": " + type_name(module), module);
  }
  void leave(Module&) override { --depth_; }

  std::string indent() const { return std::string(2 * depth_ + 2, ' '); }
  void line(const std::string& what, const Module& module) {
    const Index count = count_parameters(module);
    lines_.emplace_back(indent().substr(2) + what, count ? grouped(count) : "");
  }

  int depth_ = 0;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

void Visitor::operator()(const std::string& name, Parameter& parameter) {
  if (!parameter.present) return;
  below(name, [&] { visit(name, parameter); });
}

void Visitor::operator()(const std::string& name, Module& module) {
  below(name, [&] {
    enter(name, module);
    module.visit(*this);
    leave(module);
  });
}

void Visitor::below(const std::string& name, const std::function<void()>& f) {
  const std::size_t outer = path_.size();
  if (outer > 0) path_ += '.';
  path_ += name;
  f();
  path_.resize(outer);
}

Tensor Module::operator()(const Tensor& x, Pass& pass) const {
  return within([&] {
    Tensor y = forward(x, pass);
    if (!y) throw TypeError("{}: forward returned a null tensor", type_name(*this));
    return y;
  });
}

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

Tensor functional_call(const Module& module, const std::vector<Tensor>& values, const Tensor& x,
                       Pass& pass) {
  const std::vector<const Parameter*> all = parameters(module);
  if (all.size() != values.size())
    throw ValueError("functional_call: {}, and the module has {}", plural(values.size(), "value"),
                     plural(all.size(), "parameter"));
  Substitution::Values others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!values[i] || values[i].shape() != all[i]->shape)
      throw ShapeError("functional_call: parameter '{}' is {}, and its value {}", all[i]->path,
                       all[i]->shape, values[i] ? fmt::format("{}", values[i].shape()) : "none");
    others[all[i]] = values[i];
  }
  const Substitution now(std::move(others));
  return module(x, pass);
}

void outline(Module& module, DType dtype) {
  Namer namer(module, dtype);
  module.visit(namer);
}

void initialise(Module& module, std::uint64_t seed, DType dtype) {
  outline(module, dtype);
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

std::string tree(const Module& module) {
  TreePrinter printer(module);
  listed(module).visit(printer);
  return printer.text();
}

}  // namespace tapehead
