#include "module.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <typeinfo>

namespace tapehead {

void Visitor::operator()(const std::string& name, Parameter& parameter) {
  if (!parameter.present) return;
  descend(name, [&] { visit(name, parameter); });
}

void Visitor::operator()(const std::string& name, Module& module) {
  descend(name, [&] {
    enter(name, module);
    module.visit(*this);
    leave(module);
  });
}

void Visitor::descend(const std::string& name, const std::function<void()>& f) {
  const std::size_t outer = path_.size();
  if (outer > 0) path_ += '.';
  path_ += name;
  f();
  path_.resize(outer);
}

Tensor Module::operator()(const Tensor& x, Pass& pass) const {
  return within([&] {
    Tensor y = forward(x, pass);
    if (!y) throw TypeError("{}: forward returned a null tensor", cpp_type(*this));
    return y;
  });
}

std::string cpp_type(const Module& module) {
  char* full = abi::__cxa_demangle(typeid(module).name(), nullptr, nullptr, nullptr);
  std::string name = full ? full : typeid(module).name();
  std::free(full);
  return name.substr(name.rfind(':') + 1);
}

}  // namespace tapehead
