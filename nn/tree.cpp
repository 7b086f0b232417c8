#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {
namespace {

/// Formats 1234567 as 1,234,567.
std::string grouped(Index n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<Index>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, ",");
  return digits;
}

/// Returns whether all parameters of a module share the values of others.
bool is_shared(Module& module) {
  struct Count : Visitor {
    void visit(const std::string&, Parameter& p) override { ++(&p.owner() == &p ? own : shared); }
    int own = 0, shared = 0;
  } count;
  module.visit(count);
  return count.own == 0 && count.shared > 0;
}

class TreePrinter : public Visitor {
 public:
  explicit TreePrinter(Module& root) { line(cpp_type(root), root); }
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
    const bool frozen = !p.owner().trainable;
    lines_.emplace_back(indent() + name, to_string(p.shape) + (frozen ? "  frozen" : ""));
  }
  void enter(const std::string& name, Module& module) override {
    ++depth_;
    line(name + ": " + cpp_type(module), module);
  }
  void leave(Module&) override { --depth_; }

  std::string indent() const { return std::string(2 * depth_ + 2, ' '); }
  void line(const std::string& what, Module& module) {
    const Index count = count_parameters(module);
    const std::string size = count > 0 ? grouped(count) : "";
    lines_.emplace_back(indent().substr(2) + what, is_shared(module) ? "shared" : size);
  }

  int depth_ = 0;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

std::string tree(const Module& module) {
  auto& listed = const_cast<Module&>(module);  // safe: the printer changes nothing
  TreePrinter printer(listed);
  listed.visit(printer);
  return printer.text();
}

}  // namespace tapehead
