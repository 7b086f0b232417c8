#include "../neurons.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../nn/gpt.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(neurons)

namespace {

/// A task whose examples are the base-4 digits of their numbers. Token 3 is never the first.
struct Digits : BareTask {
  Index vocabulary() const override { return 5; }
  Index context() const override { return 3; }
  Index held_out_size() const override { return 40; }
  Example held_out_example(Index i) const override {
    const int n = static_cast<int>(i);
    return {{n % 4, n / 4 % 4, n / 16 % 4, 0}, 2};
  }
};

/// Returns a model with nearly no attention. Neuron 2 of layer 0 is above 0 only for token 1.
std::unique_ptr<TaskModel> marked_model() {
  ModelOptions options = small_options(5, 3);
  options.norm = nullptr;
  options.position = Positions();
  options.mlp = StandardMLP{Activation::relu};
  options.mlp_width = 6;
  auto model = make_model("gpt", options);
  walk(*model->module, [](const std::string& path, Parameter& p) {
    if (path == "tokens.weight") {
      p.set(one_hot(arange(5), 8));  // each token is an axis
    } else if (path == "blocks.0.mlp.in.weight") {
      std::vector<double> weight(48);
      weight[2 * 8 + 1] = 3;  // neuron 2 reads token 1
      p.set(tensor(weight, {6, 8}));
    } else if (path == "blocks.0.attention.out.weight") {
      p.set(zeros({8, 8}));
    }
  });
  return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(neurons_are_identified_by_their_tokens) {
  const auto model = marked_model();
  const Neurons found = tapehead::neurons(*model, Digits(), 0, 0, -1, 40, 3);
  BOOST_TEST(found.examples == 40);
  BOOST_TEST_REQUIRE(found.neurons.size() == 6u);
  Index read = 0, ones = 0;
  for (Index i = 0; i < 40; ++i)
    for (int t = 0; t < 3; ++t) ++read, ones += Digits().held_out_example(i).tokens[t] == 1;
  const double share = static_cast<double>(ones) / static_cast<double>(read);
  const Neurons::Neuron& marked = found.neurons[2];
  BOOST_TEST(std::abs(marked.mean - 3 * share) < 1e-6);
  BOOST_TEST(std::abs(marked.deviation - 3 * std::sqrt(share * (1 - share))) < 1e-6);
  BOOST_TEST(marked.active == share);
  BOOST_TEST(marked.means[1] == 3);
  BOOST_TEST(marked.means[0] == 0);
  BOOST_TEST(std::isnan(marked.means[4]));
  BOOST_TEST(found.tokens[1] == ones);
  BOOST_TEST(found.tokens[4] == 0);
  BOOST_TEST_REQUIRE(marked.highest.size() == 3u);
  const Index examples[] = {1, 4, 5}, positions[] = {0, 1, 0};  // equal values keep their order
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(marked.highest[i].value == 3);
    BOOST_TEST(marked.highest[i].example == examples[i]);
    BOOST_TEST(marked.highest[i].position == positions[i]);
  }
  BOOST_TEST(found.neurons[3].active == 0);
}

BOOST_AUTO_TEST_CASE(one_neuron_has_the_same_values_alone) {
  const auto task = standard_task("copy", "length=4 symbols=4");
  for (const char* arch : {"gpt", "encoder"}) {
    const auto model = opinionated_model(small_options(task->vocabulary(), 9, 2), arch);
    const Neurons all = tapehead::neurons(*model, *task, 1, 0, -1, 100, 5);
    BOOST_TEST(all.neurons.size() == 32u);
    set_threads(3);
    double last = 0;
    const Neurons one =
        tapehead::neurons(*model, *task, 1, 7, 8, 100, 5, [&](double f) { last = f; });
    set_threads(1);
    BOOST_TEST(last == 1);
    BOOST_TEST_REQUIRE(one.neurons.size() == 1u);
    BOOST_TEST(one.neurons[0].mean == all.neurons[7].mean);
    BOOST_TEST(one.neurons[0].highest[4].value == all.neurons[7].highest[4].value);
    for (std::size_t i = 1; i < 5; ++i)
      BOOST_TEST(one.neurons[0].highest[i - 1].value >= one.neurons[0].highest[i].value);
  }
}

BOOST_AUTO_TEST_CASE(missing_layers_and_neurons_are_refused) {
  const auto model = marked_model();
  const auto ask = [&](const TaskModel& of, Index layer, Index neuron) {
    return tapehead::neurons(of, Digits(), layer, neuron, neuron + 1, 4, 1);
  };
  EXPECT_ERROR(UsageError, ask(*model, 1, 0), "layer 1: the model has layers 0 to 0");
  EXPECT_ERROR(UsageError, ask(*model, 0, 6), "neuron 6: layer 0 has neurons 0 to 5");
  ModelOptions options = small_options(5, 3);
  options.mlp = nullptr;
  EXPECT_ERROR(UsageError, ask(*make_model("gpt", options), 0, 0),
               "layer 0 has no MLP neurons to read");
  options.source = 3;
  EXPECT_ERROR(UsageError, ask(*make_model("encoder-decoder", options), 0, 0),
               "inspect neurons supports --arch gpt and encoder, got encoder-decoder");
}

BOOST_AUTO_TEST_SUITE_END()
