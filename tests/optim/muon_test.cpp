#include "../../core/checks/inputs.hpp"
#include "../../nn/gpt.hpp"
#include "../../optim/optimizers.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(muon)

namespace {

/// Computes the Newton-Schulz formula with ops.
Tensor reference(const Tensor& x) {
  Tensor y = x / sqrt(sum(x * x));
  for (int step = 0; step < 5; ++step) {
    const Tensor a = matmul(y, transpose(y));
    y = 3.4445 * y + matmul(-4.7750 * a + 2.0315 * matmul(a, a), y);
  }
  return y;
}

Tensor orthogonal(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  with_floats("test", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::copy_n(x.data<T>(), x.size(), y.mutable_data<T>());
    orthogonalise(matrix(y.mutable_data<T>(), x.dim(0), x.dim(1)));
  });
  return y;
}

/// One parameter of three matrices with 3, 2 and 6 rows of 4, and one that isn't a matrix.
struct Three : Module {
  Three() : stacked({11, 4}, Init::normal(1), true), vector({4}, Init::normal(1), false) {
    stacked.matrices = {3, 2, 6};
    initialise(*this, 3, DType::f64);
  }
  Tensor forward(const Tensor& x, Pass&) const override {
    return sum(x * stacked * stacked) + sum(vector * vector * vector);
  }
  void visit(Visitor& v) override { v("stacked", stacked), v("vector", vector); }

  Parameter stacked, vector;
};

Gradients gradients_of(const Three& model, const Tensor& x) {
  Tape tape;
  Pass pass;
  return tape.backward(model(x, pass));
}

ModelOptions tiny() {
  ModelOptions o;
  o.vocabulary = 7, o.context = 5, o.layers = 1, o.heads = 2, o.kv_heads = 1, o.width = 8;
  o.qk_norm = true, o.temperature = Temperature::head;
  return o;
}

}  // namespace

BOOST_AUTO_TEST_CASE(newton_schulz_is_its_formula) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{5, 5},
                                      {4, 9},
                                      {9, 4},
                                      {6, 7},
                                      {1, 6},
                                      {6, 1},
                                      {40, 43},
                                      {70, 37},
                                      {67, 150}}) {
    const Tensor x = normal_sample({rows, columns}, 1);
    expect_equal(orthogonal(x), reference(x), 1e-11, fmt::format("{} x {}", rows, columns));
    expect_equal(orthogonal(cast(x, DType::f32)), cast(reference(x), DType::f32), 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(rows_or_columns_become_nearly_orthonormal) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{16, 64}, {64, 16}}) {
    const Tensor y = orthogonal(100 * normal_sample({rows, columns}, 2));
    const Tensor gram = rows < columns ? matmul(y, transpose(y)) : matmul(transpose(y), y);
    for (Index i = 0; i < 16; ++i)
      for (Index j = 0; j < 16; ++j)
        BOOST_TEST(std::abs(gram(16 * i + j) - (i == j ? 0.95 : 0)) < 0.5);
    double trace = 0;  // sum of the squared singular values
    for (Index i = 0; i < 16; ++i) trace += gram(17 * i);
    BOOST_TEST(trace / 16 > 0.6);
    BOOST_TEST(trace / 16 < 1.3);
  }
}

BOOST_AUTO_TEST_CASE(directions_that_a_matrix_lacks_stay_away) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{20, 60}, {60, 20}, {30, 30}}) {
    const Tensor x = matmul(normal_sample({rows, 2}, 1), normal_sample({2, columns}, 2));
    expect_equal(orthogonal(cast(x, DType::f32)), cast(reference(x), DType::f32), 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(zeros_stay_zeros) {
  expect_equal(orthogonal(zeros({3, 2}, DType::f64)), zeros({3, 2}, DType::f64));
}

BOOST_AUTO_TEST_CASE(is_its_formula_matrix_by_matrix) {
  Three model;
  MuonOptions options;
  options.lr = 0.1, options.momentum = 0.7, options.weight_decay = 0.2;
  options.adam.lr = 0.04, options.adam.weight_decay = 0;
  Muon optimizer(model, options);
  Tensor p = model.stacked.value(), m = zeros({11, 4}, DType::f64);
  for (std::uint64_t t = 1; t <= 4; ++t) {
    const Tensor x = normal_sample({11, 4}, 10 + t);
    const double rate = 0.1 / static_cast<double>(t);
    const Tensor g = 2 * x * p;
    m = 0.7 * m + g;
    const Tensor u = g + 0.7 * m;
    const Tensor moved = concat({reference(slice(u, 0, 0, 3)), reference(slice(u, 0, 3, 5)),
                                 std::sqrt(6.0 / 4) * reference(slice(u, 0, 5, 11))},
                                0);
    p = p - rate * (moved + 0.2 * p);
    optimizer.lr = rate;
    optimizer.step(gradients_of(model, x));
    expect_equal(model.stacked.value(), p, 1e-10, fmt::format("step {}", t));
  }
}

BOOST_AUTO_TEST_CASE(other_parameters_follow_adamw) {
  Three mine, theirs;
  MuonOptions options;
  options.lr = 0.1, options.adam.lr = 0.04;
  Muon optimizer(mine, options);
  AdamW adam(theirs, options.adam);
  for (double share : {1.0, 0.5, 0.1}) {
    optimizer.lr = share * 0.1, adam.lr = share * 0.04;
    optimizer.step(gradients_of(mine, ones({11, 4}, DType::f64)));
    adam.step(gradients_of(theirs, ones({11, 4}, DType::f64)));
    expect_equal(mine.vector.value(), theirs.vector.value(), 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(a_shard_of_a_model_may_have_no_matrix) {
  Three mine, theirs;
  mine.stacked.matrices = {};
  MuonOptions options;
  options.needs_matrices = false;
  Muon optimizer(mine, options);
  AdamW adam(theirs, options.adam);
  optimizer.step(gradients_of(mine, ones({11, 4}, DType::f64)));
  adam.step(gradients_of(theirs, ones({11, 4}, DType::f64)));
  expect_equal(mine.stacked.value(), theirs.stacked.value(), 1e-15);
}

BOOST_AUTO_TEST_CASE(uses_the_declared_matrices) {
  GPT model(tiny());
  Muon optimizer(model);
  std::vector<std::string> names;
  for (const auto& state : optimizer.state())
    if (state.name.rfind("momentum.", 0) == 0) names.push_back(state.name.substr(9));
  const std::vector<std::string> expected = {"blocks.0.attention.qkv.weight",
                                             "blocks.0.attention.out.weight",
                                             "blocks.0.mlp.in.weight", "blocks.0.mlp.out.weight"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  const auto& layer = dynamic_cast<MultiHeadAttention&>(*model.blocks[0].attention);
  const Parameter& qkv = layer.projection.qkv->weight;
  BOOST_TEST(qkv.matrices == (std::vector<Index>{8, 4, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_the_number_of_threads) {
  const Tensor ids = tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, {2, 5}, DType::i32);
  const auto trained = [&](int count) {
    set_threads(count);
    ModelOptions o = tiny();
    o.width = 192;  // so wide that matmuls are split if threads are free
    GPT model(o);
    Muon optimizer(model);
    for (Index step = 0; step < 3; ++step) {
      Tape tape;
      Pass pass = Pass::training(0, step);
      optimizer.step(tape.backward(cross_entropy(model(ids, pass), ids)));
    }
    set_threads(1);
    std::vector<Tensor> values;
    for (const Parameter* p : parameters(model)) values.push_back(p->value());
    return values;
  };
  const auto one = trained(1), three = trained(3);
  for (std::size_t i = 0; i < one.size(); ++i) expect_equal(three[i], one[i]);
}

BOOST_AUTO_TEST_CASE(is_bitwise_identical_for_any_threads_and_interruptions) {
  for (const std::string& arch : registry().architectures().names()) BOOST_TEST_CONTEXT(arch) {
      TrainConfig config = small_config(arch);
      config.optimizer = "muon";
      expect_repeatable(config);
    }
}

BOOST_AUTO_TEST_CASE(options_reach_it) {
  const auto losses = [](auto change) {
    const Scratch scratch;
    TrainConfig config = small_config();
    config.optimizer = "muon", config.lr = 0.02, config.steps = 3;
    change(config);
    Listener listener;
    run(config, scratch.file("run"), listener);
    return listener.losses;
  };
  const auto plain = losses([](auto&) {});
  BOOST_TEST(plain == losses([](auto&) {}));
  BOOST_TEST(plain != losses([](auto& c) { c.own.texts["momentum"] = "0.5"; }));
  BOOST_TEST(plain != losses([](auto& c) { c.own.texts["adam-lr"] = "0.01"; }));
  BOOST_TEST(plain != losses([](auto& c) { c.optimizer = "adamw"; }));
  expect_refusal("--momentum must be at least 0 and below 1, not 1",
                 "--optimizer muon --momentum 1");
  expect_refusal("--adam-lr must be at least 0, not -1", "--optimizer muon --adam-lr -1");
  expect_refusal("unknown --optimizer 'moun'; did you mean 'muon'?",
                 [](auto& c) { c.optimizer = "moun"; });
}

BOOST_AUTO_TEST_CASE(refuses_invalid_options) {
  Three model;
  const auto refused = [&](const std::string& text, auto change) {
    MuonOptions options;
    change(options);
    expect_error<ValueError>([&] { Muon(model, options); }, text);
  };
  refused("Muon: lr is 0, expected a finite number above 0", [](auto& o) { o.lr = 0; });
  refused("Muon: momentum is 1, expected at least 0 and below 1", [](auto& o) { o.momentum = 1; });
  refused("Muon: AdamW: beta2 is -1, expected at least 0 and below 1",
          [](auto& o) { o.adam.beta2 = -1; });
  model.stacked.matrices = {};
  refused(
      "Muon: lr applies only to matrices, but none of 2 parameters is a matrix; set "
      "Parameter::matrices to {rows}, or use AdamW",
      [](auto&) {});
  model.stacked.matrices = {3, 2};
  refused("Muon: parameter 'stacked' is (11, 4), which doesn't match matrices of 3 + 2 rows",
          [](auto&) {});
}

BOOST_AUTO_TEST_SUITE_END()
