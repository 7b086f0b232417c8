// The weights of a module in a file of the format safetensors.
#include "python_module.hpp"

#include "../../../train/safetensors/safetensors.hpp"

namespace tapehead {
namespace {

void save_weights(const std::shared_ptr<Module>& module, const std::string& path) {
  Safetensors contents{{{checksum_key, ""}}, {}};
  for (const auto& [name, parameter] : named_parameters(module))
    contents.tensors[name] = parameter->value();
  write_safetensors(path, contents);
}

/// All or nothing: the file is compared with the module before anything changes.
void load_weights(const std::shared_ptr<Module>& module, const std::string& path) {
  const Safetensors contents = read_safetensors(path);
  const auto all = named_parameters(module);
  std::map<std::string, Tensor> left = contents.tensors;
  for (const auto& [name, parameter] : all) {
    const auto found = left.find(name);
    if (found == left.end()) throw FileError("{}: has no '{}', which the module has", path, name);
    const Tensor& x = found->second;
    if (x.shape() != parameter->shape || x.dtype() != parameter->dtype)
      throw FileError("{}: '{}' is {} {}, and the module's {} {}", path, name, x.dtype(), x.shape(),
                      parameter->dtype, parameter->shape);
    left.erase(found);
  }
  if (!left.empty())
    throw FileError("{}: has '{}', which the module hasn't", path, left.begin()->first);
  for (const auto& [name, parameter] : all) parameter->set(contents.tensors.at(name));
}

}  // namespace

void bind_weights(py::module_& module) {
  module.def("save_weights", &save_weights, "module"_a.none(false), "path"_a, Computing());
  module.def("load_weights", &load_weights, "module"_a.none(false), "path"_a, Computing());
}

}  // namespace tapehead
