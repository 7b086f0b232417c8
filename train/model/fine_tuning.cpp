#include "fine_tuning.hpp"
#include "../config/registry.hpp"
#include "../files/strings.hpp"
#include "../safetensors/safetensors.hpp"
#include "../step/not_finite.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <set>

namespace tapehead {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// Returns all parameter paths and globs that match them, such as `tokens.weight` and `tokens.*`.
std::set<std::string> known_patterns(const std::vector<Parameter*>& all) {
  std::set<std::string> known;
  for (const Parameter* p : all) {
    known.insert(p->path);
    for (std::size_t dot = 0; (dot = p->path.find('.', dot)) != std::string::npos; ++dot)
      known.insert(p->path.substr(0, dot) + ".*");
  }
  return known;
}

[[noreturn]] void refuse(const char* option, const std::string& pattern,
                         const std::vector<Parameter*>& all) {
  const std::set<std::string> known = known_patterns(all);
  const std::string near = nearest(pattern, {known.begin(), known.end()});
  if (!near.empty())
    throw UsageError("{} {}: matches no parameter; did you mean '{}'?", option, pattern, near);
  std::vector<std::string> top;  // globs of top-level members, in the model's order
  for (const Parameter* p : all) {
    const std::size_t dot = p->path.find('.');
    const std::string name = dot == std::string::npos ? p->path : p->path.substr(0, dot) + ".*";
    if (!contains(top, name)) top.push_back(name);
  }
  throw UsageError("{} {}: matches no parameter; the model has {}", option, pattern,
                   fmt::join(top, ", "));
}

/// Returns the parameters whose paths match one of the patterns.
std::vector<Parameter*> matching(const char* option, const std::string& patterns,
                                 const std::vector<Parameter*>& all) {
  const std::vector<std::string> globs = split(patterns);
  for (const std::string& glob : globs) {
    if (glob.empty()) throw UsageError("{} {}: empty pattern", option, patterns);
    const auto fits = [&](const Parameter* p) { return matches(glob, p->path); };
    if (none_of(all, fits)) refuse(option, glob, all);
  }
  std::vector<Parameter*> some;
  for (Parameter* p : all)
    if (any_of(globs, [&](const std::string& glob) { return matches(glob, p->path); }))
      some.push_back(p);
  return some;
}

/// Sets parameters to the weights with the same names. `from` names their source in errors.
void take(Module& model, const std::map<std::string, Tensor>& weights, const std::string& from,
          const std::string& only, bool keep_missing) {
  const std::vector<Parameter*> all = parameters(model);
  for (Parameter* p : only.empty() ? all : matching("--init-only", only, all)) {
    const auto found = weights.find(p->path);
    if (found == weights.end() && keep_missing) continue;
    if (found == weights.end())
      throw FileError(
          "--init {}: parameter '{}' is missing; to initialize missing parameters randomly, add "
          "--init-missing fresh",
          from, p->path);
    const Tensor& x = found->second;
    if (x.shape() != p->shape || x.dtype() != p->dtype)
      throw FileError("--init {}: '{}' is {} {}, expected {} {}", from, p->path, x.dtype(),
                      x.shape(), p->dtype, p->shape);
    if (const std::string what = non_finite_kind(x); !what.empty())
      throw FileError("--init {}: '{}' contains {}", from, p->path, what);
    p->set(x);
  }
}

}  // namespace

void load_initial_weights(Module& model, const RunFolder& run, const std::string& only,
                          bool keep_missing) {
  if (only.empty() && !keep_missing)
    run.load(model, nullptr);
  else
    take(model, run.last_record().weights, run.path(), only, keep_missing);
}

bool is_weights_file(const std::string& init) {
  return std::filesystem::path(init).extension() == ".safetensors";
}

void load_initial_weights_from_file(Module& model, const std::string& path, const std::string& only,
                                    bool keep_missing) {
  const std::map<std::string, Tensor> weights = read_safetensors(path).tensors;
  take(model, weights, path, only, keep_missing);
  if (!only.empty() || keep_missing) return;
  std::vector<std::string> names;
  for (const Parameter* p : parameters(model)) names.push_back(p->path);
  for (const auto& [name, tensor] : weights)
    if (!contains(names, name))
      throw FileError("--init {}: the file has parameter {}, but the model doesn't", path,
                      quote(name));
}

void freeze(Module& model, const std::string& patterns) {
  if (patterns.empty()) return;
  const std::vector<Parameter*> all = parameters(model);
  for (Parameter* p : matching("--freeze", patterns, all)) p->trainable = false;
  if (none_of(all, [](const Parameter* p) { return p->trainable; }))
    throw UsageError("--freeze {}: all parameters are frozen, expected at least one to train",
                     patterns);
}

}  // namespace tapehead
