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

class TreePrinter : public Visitor {
 public:
  explicit TreePrinter(const Module& root) { line(cpp_type(root), root); }
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
    line(name + ": " + cpp_type(module), module);
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

std::string tree(const Module& module) {
  TreePrinter printer(module);
  const_cast<Module&>(module).visit(printer);  // safe: the printer changes nothing
  return printer.text();
}

}  // namespace tapehead
