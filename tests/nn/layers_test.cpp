#include "../../parts/checks/check.hpp"
#include "../../parts/parts.hpp"
#include "../shared/layer_entries.hpp"
#include "../shared/support.hpp"

#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(layers)

namespace {

struct WrongBias : Module {  // the bias gradient is 0.05 % too large
  Tensor forward(const Tensor& x, Pass&) const override {
    const Tensor& b = bias;
    const Tensor y = (x + b).detached();
    return record("wrong", y, {x, b}, [](const Tensor& dy) { return Grads{dy, dy * 1.0005}; });
  }
  void visit(Visitor& v) override { v("bias", bias); }

  Parameter bias{{3}, Init::constant(0), false};
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_has_an_entry) { expect_layers_have_entries("nn", 8); }

BOOST_AUTO_TEST_CASE(each_entry_says_what_it_is) {
  const Registry registry = make_registry();
  for (const LayerEntry& entry : registry.layers()) BOOST_TEST(!entry.summary.empty(), entry.name);
}

BOOST_AUTO_TEST_CASE(gradients) {
  unsigned number = 0;
  const Registry registry = make_registry();
  for (LayerEntry entry : registry.layers()) {
    BOOST_TEST(entry.first_only == "");
    if (under_sanitizers && number++ % 10 > 0) entry.first_only = "it takes ten times as long";
    const CheckReport report = check_layer(entry);
    BOOST_TEST(report.passed(), entry.name << ": " << to_string(report.worst()));
    for (const Check& each : report.checks) BOOST_TEST(each.result.comparisons > 0);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_gradient_is_found) {
  const LayerEntry entry{"wrong", "", [] { return std::make_unique<WrongBias>(); },
                         normal_sample({2, 3}, 1)};
  const CheckReport report = check_layer(entry);
  BOOST_TEST(!report.passed());
  const std::string text = to_string(report.worst());
  BOOST_TEST(text.rfind("gradient: bias element 0", 0) == 0u, text);
}

BOOST_AUTO_TEST_SUITE_END()
