#include "hooks.hpp"
#include "../../core/ops.hpp"

#include <map>

namespace tapehead {
namespace {

struct Result {
  Tensor logits;
  std::vector<Tensor> gradients;
};

Result step(const Module& model, const Tensor& input, Pass pass) {
  Tape tape;
  for (Parameter* p : parameters(const_cast<Module&>(model))) tape.watch(*p);
  const Tensor y = model(input, pass);
  const Gradients all = tape.backward(sum(y * y));
  Result result{y, {}};
  for (Parameter* p : parameters(const_cast<Module&>(model)))
    result.gradients.push_back(all.contains(*p) ? all[*p] : Tensor());
  return result;
}

void expect_same_bits(const Tensor& a, const Tensor& b) {
  BOOST_TEST_REQUIRE(static_cast<bool>(a) == static_cast<bool>(b));
  if (a) expect_equal(a, b);
}

/// Copies a tensor into new memory.
Tensor copied(const Tensor& x) { return tensor(x.values(), x.shape(), x.dtype()); }

}  // namespace

void expect_hooks_preserve_bits(const Module& model, const Tensor& input, bool has_heads) {
  const Result plain = step(model, input, Pass::training(1, 2));
  std::map<std::string, Index> seen;
  Pass hooked = Pass::training(1, 2);
  hooked.hook_patterns = true;
  hooked.hook = [&](const HookPoint& point, const Tensor& x) {
    ++seen[point.name];
    return x;
  };
  const Result same = step(model, input, hooked);
  for (const char* name : {"in", "out", "attention_out", "mlp_out", "pattern", "neurons"})
    BOOST_TEST(seen[name] >= 2, name);
  if (has_heads) BOOST_TEST(seen["heads"] >= 2);
  expect_same_bits(same.logits, plain.logits);
  for (std::size_t i = 0; i < plain.gradients.size(); ++i)
    expect_same_bits(same.gradients[i], plain.gradients[i]);

  // Copies are unknown to the tape: they pass values on, but no gradients.
  hooked.hook = [](const HookPoint&, const Tensor& x) { return copied(x); };
  Pass quiet = Pass::evaluation();
  const Tensor expected = model(input, quiet);
  hooked.train = false;
  expect_same_bits(model(input, hooked), expected);
}

void expect_gradients_reach_hooks(const Module& model, const Tensor& input, bool has_heads) {
  for (const std::string name : {"in", "attention_out", "mlp_out", "heads", "pattern", "neurons"}) {
    if (name == "heads" && !has_heads) continue;
    BOOST_TEST_CONTEXT(name) {
      Tape tape;
      Tensor added;
      Pass pass = Pass::evaluation();
      pass.hook_patterns = true;
      pass.hook = [&](const HookPoint& point, const Tensor& x) {
        if (added || name != point.name) return x;
        added = zeros(x.shape(), x.dtype());
        tape.watch(added);
        return x + added;
      };
      const Tensor y = model(input, pass);
      const Gradients gradients = tape.backward(sum(y * y));
      double largest = 0;
      for (double g : gradients[added].values()) largest = std::max(largest, std::abs(g));
      BOOST_TEST(largest > 0);
    }
  }
}

}  // namespace tapehead
