// FLOPs of a step, compared with the decompositions of its ops and with closed formulas.
#include "../../core/trace.hpp"
#include "../../nn/encoder.hpp"
#include "../../nn/gpt.hpp"
#include "../../parts/checks/layers.hpp"
#include "../../train/model/architecture.hpp"
#include "../../train/step/cost.hpp"
#include "../../train/step/step.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(flops)

namespace {

/// Counts operations from the primitive ops on a tape: matmul sizes, and the scores that a softmax
/// masks.
struct Decomposed : TapeListener {
  double multiply_adds = 0;

  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override {
    const std::string name = call.name;
    if (name == "gather_rows") rows_ = static_cast<double>(inputs[0].dim(0));
    if (name == "softmax") return look(inputs[0]);
    if (name != "matmul" && name != "linear") return;
    const Tensor& left = inputs[0];
    const auto result = static_cast<double>(y.size()), inner = static_cast<double>(left.dim(-1));
    if (left.rank() == 5 && left.dim(-2) == 1) {  // with relative keys or values
      multiply_adds += rows_ * (after_softmax_ ? result : static_cast<double>(left.size()));
    } else if (left.size() == weights_) {  // attention weights times values
      multiply_adds += seen_ * static_cast<double>(y.dim(-1));
      weights_ = 0;
    } else {
      multiply_adds += result * inner;
      last_ = {result, inner};
      after_softmax_ = false;
    }
  }

 private:
  /// Masked scores needn't be computed, so they don't count.
  void look(const Tensor& scores) {
    const std::vector<double> all = scores.values();
    weights_ = scores.size();
    seen_ = 0;
    for (const double score : all) seen_ += score > -infinity ? 1 : 0;
    BOOST_TEST_REQUIRE(last_.first == static_cast<double>(weights_));
    multiply_adds -= (last_.first - seen_) * last_.second;
    after_softmax_ = true;
  }

  // The number of elements in the last matmul's result, and the number of products in each.
  std::pair<double, double> last_;
  Index weights_ = 0;  // number of weights in the last softmax
  double seen_ = 0, rows_ = 0;
  bool after_softmax_ = false;
};

/// Checks whether attention gets masks as tensors, whose contents it can't know.
struct Masked : TapeListener {
  bool any = false;
  void computed(const OpCall& call, const Tensor&, const std::vector<Tensor>& inputs) override {
    for (const Tensor& x : inputs)
      any |= std::string(call.name).find("attention") != std::string::npos && !x.is_float();
  }
};

void run(const Module& model, const Tensor& input, TapeListener& listener) {
  const ListenerScope listening(&listener);
  const Tape tape;
  Pass pass = Pass::evaluation();
  model(input, pass);
}

Tensor ids(const Shape& shape, int id = 0) { return full(shape, id, DType::i32); }

/// Returns the operations for one sequence.
double flops_of(const ModelOptions& options) {
  const GPT model(options);
  return step_flops(model, {ids({1, options.context}), {}});
}

ModelOptions small(Index context) {
  ModelOptions options;
  options.vocabulary = 16, options.context = context, options.layers = 1, options.heads = 4;
  options.width = 64;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_layer_takes_those_of_its_decomposition) {
  int with_products = 0;
  for (const LayerEntry& entry : layer_catalog()) {
    const std::unique_ptr<Module> layer = entry.make();
    initialise(*layer, 1, DType::f64);
    Decomposed decomposed;
    {
      const PrimitiveOpsScope primitive;
      run(*layer, entry.input, decomposed);
    }
    Masked masked;
    run(*layer, entry.input, masked);
    const double flops = step_flops(*layer, {entry.input, {}}), seen = 6 * decomposed.multiply_adds;
    with_products += flops > 0 ? 1 : 0;
    BOOST_TEST((masked.any ? flops >= seen : flops == seen),
               entry.name << ": " << flops << ", not " << seen);
  }
  BOOST_TEST(with_products > 20);
}

// 6 FLOPs per weight and token, and 12 * width FLOPs per visible pair of query and key.
BOOST_AUTO_TEST_CASE(of_a_gpt) {
  ModelOptions options = small(32);
  options.layers = 2;
  const double weights = 2 * 12 * 64 * 64 + 16 * 64, pairs = 32 * 33 / 2;
  GPT model(options);
  const double sequence = 6 * (32 * weights + 2 * pairs * 2 * 64);
  BOOST_TEST(flops_of(options) == sequence);
  BOOST_TEST(step_flops(model, {ids({8, 32}), {}}) == 8 * sequence);

  const double rest = flops_of(small(100)) - 6 * 5050 * 2 * 64;
  options = small(100);
  options.window = 10;  // each query sees 10 keys, except the first queries
  BOOST_TEST(flops_of(options) - rest == 6 * 955 * 2 * 64);
  options.hide_self = true;
  BOOST_TEST(flops_of(options) - rest == 6 * (955 - 100) * 2 * 64);
}

BOOST_AUTO_TEST_CASE(a_head_counts_once_and_only_where_it_is_used) {
  ModelOptions options = small(32);
  const double tied = flops_of(options);
  options.tied = false;
  BOOST_TEST(flops_of(options) == tied);

  options.classes = 5;
  const Encoder whole(options);
  options.pooled = true;
  const Encoder pooled(options);
  const Batch batch{ids({1, 32}), {}};
  BOOST_TEST(step_flops(whole, batch) - step_flops(pooled, batch) == 6.0 * 31 * 64 * 5);
}

BOOST_AUTO_TEST_CASE(a_task_is_read_at_its_longest) {
  const auto made = [](TrainConfig config) {
    const auto task = make_task(config, registry());
    const auto model = make_model(config, *task, registry());
    return std::pair(step_flops(*model->module, longest_batch(*model, *task)), model->options);
  };
  const auto [encoder, question] = made(validated(small_config("encoder"), registry()));
  BOOST_TEST(encoder == 4 * 6 * (12 * 64 + 8 * 4) + 6 * 4 * 4 * 2 * 8);  // sequences of 4 positions

  const auto [both, o] = made(validated(small_config("encoder-decoder"), registry()));
  const auto s = static_cast<double>(o.source), t = static_cast<double>(o.context);
  // A block's cross-attention computes keys and values of the source.
  const double linear = s * (12 + 2) * 64 + t * (14 * 64 + 8 * static_cast<double>(o.vocabulary));
  const double attention = 2 * 8 * (s * s + t * (t + 1) / 2 + t * s);
  BOOST_TEST(both == 6 * (linear + attention));
}

BOOST_AUTO_TEST_CASE(nothing_is_computed) {
  ModelOptions options = small(1 << 14);
  options.layers = 200, options.width = 1 << 14, options.vocabulary = 1 << 17;
  const MetaTensors weights;
  const GPT model(options);
  const double linear = 200.0 * 12 * std::pow(2, 28) + std::pow(2, 31);
  const double pairs = std::pow(2, 13) * (std::pow(2, 14) + 1);
  BOOST_TEST(step_flops(model, {ids({1, 1 << 14}), {}}) ==
             6 * (std::pow(2, 14) * linear + 200 * pairs * std::pow(2, 15)));
}

BOOST_AUTO_TEST_SUITE_END()
