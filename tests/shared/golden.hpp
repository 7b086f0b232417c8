#pragma once
// Reads tests/golden/*.safetensors, cases computed by PyTorch (tests/golden/make_golden.py), and
// checks that everything in them is compared.
#include "../../core/ops.hpp"
#include "../../nn/parameters.hpp"
#include "../../train/files/files.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "build.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace tapehead {

/// Returns the largest difference of two elements divided by the largest expected magnitude, or by
/// 0.1 if that is less. Some gradients are only rounding errors, such as a key bias, which softmax
/// ignores. Returns infinity for a NaN, another shape or another type.
inline double golden_error(const Tensor& x, const Tensor& expected) {
  if (!x || x.shape() != expected.shape() || x.dtype() != expected.dtype()) return infinity;
  double largest = 0.1, error = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x(i) - expected(i));
    if (!std::isfinite(difference)) return infinity;
    error = std::max(error, difference);
    largest = std::max(largest, std::abs(expected(i)));
  }
  return error / largest;
}

/// The tensors and options of one case, with floats as `dtype`. Gradients are named "d.x".
class GoldenCase {
 public:
  GoldenCase(std::string name, nlohmann::json given, std::map<std::string, Tensor> tensors,
             DType float_type)
      : options(std::move(given)),
        dtype(float_type),
        name_(std::move(name)),
        tensors_(std::move(tensors)) {}

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }
  /// Returns an input; no tensor if the case has none of this name.
  Tensor find(const std::string& name) {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) return {};
    read_.insert(name);
    return at->second.is_float() ? cast(at->second, dtype) : at->second;
  }
  Tensor get(const std::string& name) {
    const Tensor x = find(name);
    if (!x) throw ValueError("golden case {} has no '{}'", name_, name);
    return x;
  }
  /// Returns all tensors whose names begin with `prefix`, by the rest of their names.
  std::map<std::string, Tensor> group(const std::string& prefix) {
    std::map<std::string, Tensor> found;
    for (const auto& [name, x] : tensors_)
      if (name.rfind(prefix, 0) == 0) found[name.substr(prefix.size())] = get(name);
    return found;
  }

  /// Tolerances: in f64, 1e-12 for outputs and 1e-10 for gradients; in f32, 1e-5. See golden_error.
  void expect(const std::string& name, const Tensor& x) {
    const double tolerance = dtype == DType::f32 ? 1e-5 : name.rfind("d.", 0) == 0 ? 1e-10 : 1e-12;
    const Tensor expected = get(name);
    const double error = golden_error(x, expected);
    BOOST_TEST(error <= tolerance,
               fmt::format("{} {}: '{}' is {:.1e} off, and may be {:.0e}\n  it is    {} {}\n"
                           "  expected {} {}",
                           name_, dtype, name, error, tolerance, x.shape(), x, expected.shape(),
                           expected));
  }
  /// Loads the parameters of a model, named "state.path".
  void load(Module& model) {
    for (Parameter* p : parameters(model)) p->set(get("state." + p->path));
  }
  void expect_gradients(Module& model, const Gradients& gradients) {
    for (Parameter* p : parameters(model)) expect("d." + p->path, gradients[p->value()]);
  }
  /// Checks the logits for the case's ids, their loss (targets are named `targets`), and all
  /// gradients.
  void expect_training(Module& model, const char* targets) {
    load(model);
    Tape tape;
    Pass pass;
    const Tensor logits = model(get("ids"), pass);
    expect("logits", logits);
    const Tensor loss = cross_entropy(logits, get(targets));
    expect("loss", loss);
    expect_gradients(model, tape.backward(loss));
  }
  void expect_all_read() const {
    for (const auto& [name, x] : tensors_)
      BOOST_TEST(read_.count(name) == 1u, name_ << ": '" << name << "' is not compared");
  }

  const nlohmann::json options;
  const DType dtype;

 private:
  std::string name_;
  std::map<std::string, Tensor> tensors_;
  std::set<std::string> read_;
};

/// Calls check(GoldenCase&) for every case of tests/golden/`file`.safetensors, in f64 and in f32.
template <class F>
void each_golden_case(const std::string& file, const F& check) {
  const std::string path = source_dir + ("/tests/golden/" + file) + ".safetensors";
  const Safetensors contents = decode_safetensors(read_file(path), path);
  std::map<std::string, std::map<std::string, Tensor>> cases;
  for (const auto& [name, x] : contents.tensors) {
    const std::size_t slash = name.find('/');
    cases[name.substr(0, slash)][name.substr(slash + 1)] = x;
  }
  const auto options = nlohmann::json::parse(contents.metadata.at("cases"));
  BOOST_TEST_REQUIRE(!cases.empty());
  BOOST_TEST_REQUIRE(options.size() == cases.size());
  for (const auto& [name, tensors] : cases)
    for (DType dtype : {DType::f64, DType::f32}) {
      BOOST_TEST_CONTEXT(file << ": " << name << " in " << to_string(dtype)) {
        GoldenCase one(name, options.at(name), tensors, dtype);
        check(one);
        one.expect_all_read();
      }
    }
}

}  // namespace tapehead
