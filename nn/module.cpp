#include "module.hpp"
#include <cxxabi.h>
#include "../core/runtime/parallel.hpp"
#include "../core/trace.hpp"

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

std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

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
  for (auto at = static_cast<Index>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

class Collector : public Visitor {
 public:
  std::vector<Parameter*> found;

 private:
  void visit(Parameter& parameter) override { found.push_back(&parameter); }
};

class TreePrinter : public Visitor {
 public:
  explicit TreePrinter(Module& root) { line(type_name(root), root); }
  std::string text() const {
    std::size_t widest = 0;
    for (const auto& [left, right] : lines_) widest = std::max(widest, left.size());
    std::string all;
    for (const auto& [left, right] : lines_)
      all += right.empty() ? left + "\n" : fmt::format("{:<{}}  {}\n", left, widest, right);
    return all;
  }

 private:
  void visit(Parameter& p) override {
    const std::string name = p.path.substr(p.path.rfind('.') + 1);
    lines_.emplace_back(indent() + name, to_string(p.shape) + (p.trainable ? "" : "  frozen"));
  }
  void enter(const std::string& name, Module& module) override {
    ++depth_;
    line(name + ": " + type_name(module), module);
  }
  void leave(Module&) override { --depth_; }

  std::string indent() const { return std::string(static_cast<std::size_t>(2 * depth_ + 2), ' '); }
  void line(const std::string& what, Module& module) {
    const Index count = count_parameters(module);
    lines_.emplace_back(indent().substr(2) + what, count ? grouped(count) : "");
  }

  int depth_ = 0;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

void Visitor::operator()(const std::string& name, Parameter& parameter) {
  if (!parameter.present) return;
  parameter.path = join(path_, name);
  visit(parameter);
}

void Visitor::operator()(const std::string& name, Module& module) {
  const std::string outer = path_;
  path_ = join(path_, name);
  module.path = intern(path_);
  enter(name, module);
  module.visit(*this);
  leave(module);
  path_ = outer;
}

Tensor Module::operator()(const Tensor& x, Pass& pass) const {
  return within([&] { return forward(x, pass); });
}

Tensor Module::within(const std::function<Tensor()>& f) const {
  const Scope scope(path);
  try {
    return f();
  } catch (Error& error) {
    error.at(path);
    throw;
  }
}

std::vector<Parameter*> parameters(Module& module) {
  Collector collector;
  module.visit(collector);
  return std::move(collector.found);
}

Index count_parameters(Module& module) {
  Index count = 0;
  for (const Parameter* parameter : parameters(module)) count += parameter->shape.size();
  return count;
}

void initialise(Module& module, std::uint64_t seed, DType dtype) {
  RandomKey key;
  key.seed = seed;
  key.draw = Draw::weights;
  const std::vector<Parameter*> all = parameters(module);
  parallel_for(static_cast<Index>(all.size()), [&](Index i) {
    RandomKey own = key;
    own.site += static_cast<std::uint32_t>(i);
    all[static_cast<std::size_t>(i)]->initialise(own, dtype);
  });
}

void convert(Module& module, DType dtype) {
  for (Parameter* parameter : parameters(module)) {
    const Pause pause;
    parameter->set(cast(parameter->value(), dtype));
  }
}

std::string tree(Module& module) {
  parameters(module);  // a visit from the root gives the paths
  TreePrinter printer(module);
  module.visit(printer);
  return printer.text();
}

}  // namespace tapehead
