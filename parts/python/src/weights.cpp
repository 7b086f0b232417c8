// Saves and loads the weights of a module in the safetensors format.
#include "python_module.hpp"

#include "../../../train/safetensors/safetensors.hpp"

namespace tapehead {
namespace {

void save_weights(const std::shared_ptr<Module>& module, const std::string& path) {
  Safetensors contents{{{checksum_key, ""}}, {}};
  for (const ModulePart& part : named_parameters(module))
    contents.tensors[part.path] = part.parameter->value();
  write_safetensors(path, contents);
}

/// Returns each parameter with all its paths, in the order of `visit`.
std::vector<std::pair<std::shared_ptr<Parameter>, std::vector<std::string>>> all_paths(
    const std::shared_ptr<Module>& module) {
  std::vector<std::pair<std::shared_ptr<Parameter>, std::vector<std::string>>> all;
  std::map<const Parameter*, std::size_t> places;
  for (const ModulePart& part : parts_of(module)) {
    if (!part.parameter) continue;
    const auto [place, is_new] = places.try_emplace(part.parameter.get(), all.size());
    if (is_new) all.push_back({part.parameter, {}});
    all[place->second].second.push_back(part.path);
  }
  return all;
}

/// Removes a parameter's value from `left`, the file's unused tensors, and returns it. The file can
/// contain the value under one or more of the parameter's paths, if the elements are equal.
Tensor take(std::map<std::string, Tensor>& left, const Parameter& parameter,
            const std::vector<std::string>& paths, const std::string& file) {
  Tensor value;
  std::string first;
  for (const std::string& path : paths) {
    const auto found = left.find(path);
    if (found == left.end()) continue;
    const Tensor x = found->second;
    if (x.shape() != parameter.shape || x.dtype() != parameter.dtype)
      throw FileError("{}: '{}' is {} {}, expected {} {}", file, path, x.dtype(), x.shape(),
                      parameter.dtype, parameter.shape);
    if (value && !bitwise_equal(x, value))
      throw FileError("{}: '{}' and '{}' differ, but the module has one parameter for both", file,
                      first, path);
    if (!value) value = x, first = path;
    left.erase(found);
  }
  if (!value) throw FileError("{}: '{}' is missing", file, paths.front());
  return value;
}

/// Loads all parameters. If the file doesn't match the module, throws and changes nothing.
void load_weights(const std::shared_ptr<Module>& module, const std::string& path) {
  std::map<std::string, Tensor> left = read_safetensors(path).tensors;
  const auto all = all_paths(module);
  std::vector<Tensor> values;
  for (const auto& [parameter, paths] : all) values.push_back(take(left, *parameter, paths, path));
  if (!left.empty())
    throw FileError("{}: has '{}', which the module doesn't have", path, left.begin()->first);
  name_parts(*module);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].first->set(values[i]);
}

}  // namespace

void bind_weights(py::module_& module) {
  module.def("save_weights", &save_weights, "module"_a.none(false), "path"_a, Computing());
  module.def("load_weights", &load_weights, "module"_a.none(false), "path"_a, Computing());
}

}  // namespace tapehead
