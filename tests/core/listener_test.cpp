#include "../../core/meta_tensors.hpp"
#include "../../core/ops.hpp"
#include "../../core/trace.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(listener)

namespace {

struct Log : TapeListener {
  void computed(const OpCall& call, const Tensor&, const std::vector<Tensor>& inputs) override {
    all.push_back(fmt::format("{}({}) in '{}'", call.name, inputs.size(), ModuleScope::current()));
  }
  void differentiating(const char* op) override { all.push_back(fmt::format("{}?", op)); }
  void watched(const Tensor& x) override { all.push_back(fmt::format("watched {}", x.shape())); }
  void gradient_ready(std::uint64_t, const Tensor& dx) override {
    all.push_back(fmt::format("arrived {}", dx.shape()));
  }
  void differentiated(std::uint64_t, const char* op, const Tensor&, const Grads& grads) override {
    all.push_back(fmt::format("{} gave {} in '{}'", op, grads.size(), ModuleScope::current()));
  }
  std::vector<std::string> all;
};

}  // namespace

BOOST_AUTO_TEST_CASE(is_notified_of_each_op_and_backward_function) {
  Log log;
  const Tensor x = tensor({1, 2});
  {
    const ListenerScope listening(&log);
    Tape tape;
    tape.watch(x);
    const Tensor unknown = ones({2}) + ones({2});  // not recorded, but the listener is notified
    Tensor y;
    {
      const ModuleScope scope("layer");
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
    const ListenerScope first(&outer);
    {
      const ListenerScope second(&inner);
      exp(x);
      const ListenerScope nobody(nullptr);
      exp(x);
      BOOST_TEST(ListenerScope::current() == nullptr);
    }
    exp(x);
    const Pause pause;
    exp(x);  // the listener isn't notified during a pause
  }
  exp(x);
  BOOST_TEST(outer.all.size() == 1u);
  BOOST_TEST(inner.all.size() == 1u);
}

BOOST_AUTO_TEST_CASE(ends_in_any_order) {
  Log first, second, third;
  auto outer = std::make_unique<ListenerScope>(&first),
       middle = std::make_unique<ListenerScope>(&second),
       inner = std::make_unique<ListenerScope>(&third);
  middle.reset();
  BOOST_TEST(ListenerScope::current() == &third);
  outer.reset();
  BOOST_TEST(ListenerScope::current() == &third);
  inner.reset();
  BOOST_TEST(ListenerScope::current() == nullptr);
  auto a = std::make_unique<ModuleScope>("a"), b = std::make_unique<ModuleScope>("b");
  a.reset();
  BOOST_TEST(ModuleScope::current() == "b");
  b.reset();
  BOOST_TEST(ModuleScope::current() == "");
  auto large = std::make_unique<MetaTensors>(), small = std::make_unique<MetaTensors>();
  large.reset();
  BOOST_TEST(MetaTensors::is_alive());
  small.reset();
  BOOST_TEST(!MetaTensors::is_alive());
}

BOOST_AUTO_TEST_CASE(a_backward_function_may_end_the_listener) {
  auto log = std::make_unique<Log>();
  auto listening = std::make_unique<ListenerScope>(log.get());
  Tape tape;
  const Tensor x = ones({1});
  tape.watch(x);
  const Tensor y = record("ending", x.detached(), {x}, [&](const Tensor& dy) {
    listening.reset();
    log.reset();
    return Grads{dy};
  });
  BOOST_TEST(tape.backward(y)[x].item() == 1);
}

BOOST_AUTO_TEST_CASE(a_tape_runs_backward_once_at_a_time) {
  Tape tape;
  const Tensor x = ones({1});
  tape.watch(x);
  std::string said;
  Tensor y;
  y = record("nested", x.detached(), {x}, [&](const Tensor& dy) {
    BOOST_TEST(tape.runs_backward());
    said = error_text(typeid(TapeError), [&] { tape.backward(y); });
    return Grads{dy};
  });
  tape.backward(y);
  BOOST_TEST(!tape.runs_backward());
  BOOST_TEST(
      said ==
      "backward: it is already running on this tape; use another tape in a backward function");
}

BOOST_AUTO_TEST_SUITE_END()
