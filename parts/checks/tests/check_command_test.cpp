#include "../../../core/checks/inputs.hpp"
#include "../../../nn/layers.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/data/numbers.hpp"
#include "../../parts.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(check_command)

namespace {

/// A layer whose forward omits its bias, and whose positions see all positions.
struct Faulty : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return x - mean(x, {1}, true); }
  void visit(Visitor& v) override { v("bias", bias); }

  Parameter bias{{4}, Init::constant(0), false};
};

Registry with_faulty() {
  Registry registry = make_registry();
  LayerEntry entry{"faulty", "", [] { return std::make_unique<Faulty>(); },
                   normal_sample({2, 3, 4}, 1)};
  entry.causal = true;
  registry.layer(entry);
  registry.attention("all", [](const AttentionLayerOptions& o) {
    AttentionLayerOptions options = o;
    options.causal = false;
    return std::make_unique<MultiHeadAttention>(options);
  });
  return registry;
}

}  // namespace

BOOST_AUTO_TEST_CASE(prints_one_line_per_correct_layer) {
  const Output output = done("check Linear GPT");
  BOOST_TEST(output.text ==
             "Linear  ok  causal, supports a cache\n"
             "GPT     ok  dropout in training, causal, supports a cache\n"
             "findings in none of 2 layers\n");
  BOOST_TEST(done("check Linear").text == "Linear  ok  causal, supports a cache\n");
}

BOOST_AUTO_TEST_CASE(architectures_are_checked_on_a_suitable_task) {
  const Output all = done("check gpt encoder encoder-decoder vit");
  BOOST_TEST(has(all.text, "findings in none of 4 layers"), all.text);
  BOOST_TEST(done("gradcheck gpt").text != "");
  Registry registry = make_registry();
  struct Doubled : Module {  // forward omits the bias
    Tensor forward(const Tensor& x, Pass& pass) const override { return in(x, pass); }
    void visit(Visitor& v) override { v("in", in), v("bias", bias); }
    Linear in{1, 1};
    Parameter bias{{1}, Init::constant(0), false};
  };
  registry.number_model(
      "doubled", "", [](const ModelOptions&, const Task*) { return std::make_unique<Doubled>(); });
  expect_refused(command("check doubled", registry),
                 "doubled: no task that needs no data file supports this architecture");
  struct Halves : NumberTask {
    Example training_example(std::uint64_t, Index, Index number) const override {
      return held_out_example(number);
    }
    Index held_out_size() const override { return 4; }
    Example held_out_example(Index number) const override {
      Example example;
      example.inputs = {double(number) + 0.25};
      return example;
    }
  };
  TaskEntry halves;
  halves.name = "halves";
  halves.architectures = {"doubled"};
  halves.make = [](const TaskOptions&) { return std::make_unique<Halves>(); };
  registry.task(halves);
  const Output faulty = command("check doubled", registry);
  BOOST_TEST(faulty.status == 1);
  BOOST_TEST(has(faulty.text, "The result doesn't depend on 'bias'"), faulty.text);
}

BOOST_AUTO_TEST_CASE(findings_are_sentences_and_set_the_exit_status) {
  const Output output = command("check Linear faulty", with_faulty());
  BOOST_TEST(output.status == 1);
  BOOST_TEST(output.errors == "");
  BOOST_TEST(output.text ==
             "Linear  ok      causal, supports a cache\n"
             "faulty  future  Position 0 of the result changes with position 2 of the input:\n"
             "                its element [0, 0, 0] goes from -0.279012 to -0.202146. Mask\n"
             "                later positions.\n"
             "        unused  The result doesn't depend on 'bias', and no gradient reaches it.\n"
             "                Use it in forward, or remove it from the layer.\n"
             "findings in 1 of 2 layers\n");
}

BOOST_AUTO_TEST_CASE(custom_attention_is_checked_for_use_in_a_gpt) {
  const Output output = command("check all", with_faulty());
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "all  future  Position 0 of the result changes with position 4"),
             output.text);
}

BOOST_AUTO_TEST_CASE(as_json) {
  const json right = json_of("check --json");
  BOOST_TEST(right["passed"] == true);
  BOOST_TEST(right["layers"].size() == make_registry().layers().size());
  for (const json& layer : right["layers"]) BOOST_TEST(layer["findings"].empty());
  const Output output = command("check faulty --json", with_faulty());
  BOOST_TEST(output.status == 1);
  const json wrong = json::parse(output.text);
  BOOST_TEST(wrong["passed"] == false);
  BOOST_TEST_REQUIRE(wrong["layers"].size() == 1u);
  const json& layer = wrong["layers"][0];
  BOOST_TEST(layer["name"] == "faulty");
  BOOST_TEST(layer["passed"] == false);
  BOOST_TEST(layer["findings"][0]["kind"] == "future");
  BOOST_TEST(layer["findings"][1]["kind"] == "unused");
  BOOST_TEST(has(layer["findings"][1]["text"].get<std::string>(), "'bias'"));
}

BOOST_AUTO_TEST_CASE(names_the_nearest_layer) {
  expect_refused("check Linaer", "unknown layer 'Linaer'; did you mean 'Linear'?");
}

BOOST_AUTO_TEST_SUITE_END()
