#include "../circuits.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../lens.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(circuits)

namespace {

/// An attention layer without heads.
struct Doubled : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return x * 2; }
  void visit(Visitor&) override {}
};

const std::vector<int> all_tokens = {0, 1, 2, 3, 4, 5, 6};

const GPT& gpt(const std::unique_ptr<TaskModel>& model) {
  return require_residual_gpt(*model, "inspect circuits");
}

Tensor some_ids() { return tensor({3, 1, 4, 1, 5, 2}, {1, 6}, DType::i32); }

/// Returns options of a model with one layer of attention whose residual stream holds only
/// embeddings.
ModelOptions attention_only() {
  ModelOptions options = small_options(7, 6, 1);
  options.position = Positions();
  options.mlp = nullptr;
  return options;
}

std::vector<ModelOptions> kinds() {
  std::vector<ModelOptions> all(7, attention_only());
  all[1].norm = make_rms_norm;
  all[1].kv_heads = 1;
  all[2].norm = nullptr;
  all[2].temperature = Temperature::head;
  all[3].qk_norm = true;
  all[3].tied = false;
  all[4].temperature = Temperature::qkv;
  all[4].scale = ScoreScale::one;
  all[5].head_width = 6;
  all[5].biases = false;
  all[6].tied_kv = true;
  all[6].kv_heads = 1;
  return all;
}

/// Returns the centred rows of W: a map of the stream before a layer norm without gain.
Tensor centred(const Tensor& w) { return w - mean(w, {-1}, true); }

double norm(const Tensor& x) { return std::sqrt(sum(x * x).item()); }

}  // namespace

BOOST_AUTO_TEST_CASE(qk_has_the_scores_of_the_first_layer) {
  for (const ModelOptions& options : kinds()) {
    const auto model = opinionated_model(options);
    for (Parameter* p : parameters(*model->module))  // move score factors away from neutral values
      if (p->shape == Shape{2} || p->shape == Shape{2, 1}) p->set(p->value() + 0.3);
    Pass pass = Pass::evaluation();
    std::vector<AttentionWeights> all;
    collect_weights(pass, all);
    (*model->module)(some_ids(), pass);
    const Tensor weights = all[0].weights;  // (1, 2, 6, 6)
    for (Index head : {0, 1}) {
      const Tensor qk = head_circuits(gpt(model), 0, head, all_tokens).qk;  // (7, 7)
      for (Index query = 0; query < 6; ++query) {
        std::vector<double> scores;
        for (Index key = 0; key <= query; ++key)
          scores.push_back(qk(static_cast<Index>(some_ids()(query) * 7 + some_ids()(key))));
        const Tensor expected = softmax(tensor(scores, DType::f64));
        for (Index key = 0; key <= query; ++key)
          BOOST_TEST(std::abs(weights((head * 6 + query) * 6 + key) - expected(key)) < 1e-5);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(ov_is_the_head_s_contribution_to_the_logits) {
  // With a single token, a head attends only to that token, so its terms are a row of OV.
  for (const ModelOptions& options : kinds()) {
    const auto model = opinionated_model(options);
    for (int token : {0, 5}) {
      const Tensor ids = full({1, 1}, token, DType::i32);
      Tensor stream;
      Pass pass = Pass::evaluation();
      pass.hook = [&](const HookPoint& point, const Tensor& x) {
        return point.name == std::string("out") ? stream = x : x;
      };
      (*model->module)(ids, pass);
      const double scale = Readout(gpt(model), "test").scale(reshape(stream, {8}));
      for (Index head : {0, 1}) {
        const Tensor ov = head_circuits(gpt(model), 0, head, all_tokens).ov;
        for (int predicted : all_tokens) {
          const Attribution found = attribute(gpt(model), {ids}, 0, predicted);
          const std::string name = fmt::format("layer 0 head {}", head);
          for (const auto& term : found.terms)
            if (term.name == name)
              BOOST_TEST(std::abs(term.value - ov(token * 7 + predicted) / scale) < 1e-5);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(selected_tokens_are_a_part_of_the_map) {
  const auto model = opinionated_model(attention_only());
  const HeadCircuits whole = head_circuits(gpt(model), 0, 1, all_tokens);
  const HeadCircuits part = head_circuits(gpt(model), 0, 1, {5, 2});
  BOOST_TEST(part.qk.shape() == (Shape{2, 2}));
  BOOST_TEST(std::abs(part.qk(1) - whole.qk(5 * 7 + 2)) < 1e-6);
  BOOST_TEST(std::abs(part.ov(2) - whole.ov(2 * 7 + 5)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(composition_is_a_ratio_of_norms) {
  ModelOptions options = small_options(7, 6, 2, DType::f64);
  options.kv_heads = 1;
  const auto model = opinionated_model(options);
  const Tensor gain = tensor({1, 2, 0.5, 3, 1, 1.5, 0.2, 1}, DType::f64);
  walk(*model->module, [&](const std::string& path, Parameter& p) {
    if (path == "blocks.1.attention_norm.gain") p.set(gain);
  });
  const Composition found = composition(gpt(model));
  BOOST_TEST(found.chance == 1 / std::sqrt(8.0));
  struct Head {
    Tensor qk, ov;  // (8, 8)
  };
  std::vector<Head> heads;
  for (Index i = 0; i < 4; ++i) {
    const auto& attention =
        dynamic_cast<const MultiHeadAttention&>(*gpt(model).blocks[i / 2].attention);
    const Tensor weight = attention.projection.qkv->weight.value();  // (8 + 4 + 4, 8)
    const Tensor w = centred(i < 2 ? weight : weight * gain);
    const Tensor q = slice(w, 0, i % 2 * 4, i % 2 * 4 + 4), k = slice(w, 0, 8, 12);
    const Tensor o = slice(attention.out->weight.value(), 1, i % 2 * 4, i % 2 * 4 + 4);  // (8, 4)
    heads.push_back({matmul(transpose(q), k), matmul(o, slice(w, 0, 12, 16))});
  }
  for (std::size_t reader = 0; reader < 4; ++reader) {
    for (std::size_t writer = 0; writer < 4; ++writer) {
      if (reader < 2 || writer >= 2) {
        BOOST_TEST(std::isnan(found.k[reader][writer]));
        continue;
      }
      const Tensor &qk = heads[reader].qk, &ov = heads[writer].ov;
      const auto ratio = [&](const Tensor& left) {
        return norm(matmul(left, ov)) / norm(left) / norm(ov);
      };
      BOOST_TEST(std::abs(found.q[reader][writer] - ratio(transpose(qk))) < 1e-12);
      BOOST_TEST(std::abs(found.k[reader][writer] - ratio(qk)) < 1e-12);
      BOOST_TEST(std::abs(found.v[reader][writer] - ratio(heads[reader].ov)) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(composition_of_initial_weights_is_random) {
  ModelOptions options = small_options(7, 6, 3);
  options.width = 64;
  options.heads = 8;
  const auto model = make_model("gpt", options);
  const Composition found = composition(gpt(model));
  for (const auto& scores : {found.q, found.k, found.v}) {
    double squares = 0;
    Index pairs = 0;
    for (const auto& row : scores)
      for (double score : row)
        if (!std::isnan(score)) squares += score * score, ++pairs;
    BOOST_TEST(pairs == 3 * 64);
    BOOST_TEST(std::abs(std::sqrt(squares / static_cast<double>(pairs)) / found.chance - 1) < 0.05);
  }
}

BOOST_AUTO_TEST_CASE(missing_layers_and_heads_are_refused) {
  const auto model = opinionated_model(attention_only());
  EXPECT_ERROR(UsageError, head_circuits(gpt(model), 1, 0, all_tokens),
               "layer 1: the model has layers 0 to 0");
  EXPECT_ERROR(UsageError, head_circuits(gpt(model), 0, 2, all_tokens),
               "head 2: layer 0 has heads 0 to 1");
  ModelOptions options = small_options(7, 6);
  options.attention = [](const AttentionLayerOptions&) { return std::make_unique<Doubled>(); };
  const auto other = make_model("gpt", options);
  EXPECT_ERROR(
      UsageError, composition(gpt(other)),
      "inspect circuits needs --attention standard, but the run uses another attention layer");
}

BOOST_AUTO_TEST_SUITE_END()
