#include "../../core/ops.hpp"
#include "../../core/trace.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(listener)

namespace {

struct Log : TapeListener {
  void computed(const char* op, const Tensor&, const std::vector<Tensor>& inputs) override {
    all.push_back(fmt::format("{}({}) in '{}'", op, inputs.size(), Scope::current()));
  }
  void differentiating(const char* op) override { all.push_back(fmt::format("{}?", op)); }
  void watched(const Tensor& x) override { all.push_back(fmt::format("watched {}", x.shape())); }
  void arrived(std::uint64_t, const Tensor& dx) override {
    all.push_back(fmt::format("arrived {}", dx.shape()));
  }
  void differentiated(std::uint64_t, const char* op, const Tensor&, const Grads& grads) override {
    all.push_back(fmt::format("{} gave {} in '{}'", op, grads.size(), Scope::current()));
  }
  std::vector<std::string> all;
};

}  // namespace

BOOST_AUTO_TEST_CASE(hears_of_each_op_and_rule_in_turn) {
  Log log;
  const Tensor x = tensor({1, 2});
  {
    const Listening listening(&log);
    Tape tape;
    tape.watch(x);
    const Tensor unknown = ones({2}) + ones({2});  // not recorded, and told all the same
    Tensor y;
    {
      const Scope scope("layer");
      y = exp(x * unknown);
    }
    tape.backward(y, ones({2}));
  }
  const std::vector<std::string> expected = {
      "watched (2)",           "add(2) in ''", "mul(2) in 'layer'",
      "exp(1) in 'layer'",     "arrived (2)",  "exp?",
      "exp gave 1 in 'layer'", "arrived (2)",  "mul?",
      "mul gave 2 in 'layer'", "arrived (2)"};
  BOOST_TEST(log.all == expected, per_element());
}

BOOST_AUTO_TEST_CASE(hears_only_while_it_listens) {
  Log outer, inner;
  Tape tape;
  const Tensor x = ones({1});
  tape.watch(x);
  {
    const Listening first(&outer);
    {
      const Listening second(&inner);
      exp(x);
      const Listening nobody(nullptr);
      exp(x);
      BOOST_TEST(Trace::current().listener == nullptr);
    }
    exp(x);
    const Pause pause;
    exp(x);  // a paused tape sees nothing
  }
  exp(x);
  BOOST_TEST(outer.all.size() == 1u);
  BOOST_TEST(inner.all.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
