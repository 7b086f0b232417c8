// Parameters that share a value, and models whose layers share weights.
#include "../../nn/encoder_decoder.hpp"
#include "../../nn/gpt.hpp"
#include "../../train/model/causality.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sharing)

namespace {

const Tensor ids = tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 0, 2}, {2, 6}, DType::i32);

ModelOptions small(Index share_layers) {
  ModelOptions o;
  o.vocabulary = 7, o.context = 6, o.source = 2, o.layers = 5, o.heads = 2, o.width = 8;
  o.dtype = DType::f64, o.dropout = 0.1, o.scale = ScoreScale::layer, o.convolution = 1;
  o.share_layers = share_layers;
  return o;
}

using Values = std::map<std::string, Tensor>;

Values values_of(const Module& model) {
  Values all;
  walk(model, [&](const std::string& path, const Parameter& p) { all[path] = p.value(); });
  return all;
}

/// Returns the path of the parameter that has the weights of `path`: `blocks.0...` for
/// `blocks.4...` if two layers are distinct.
std::string owner_path(std::string path, Index distinct) {
  for (const char* const name : {"blocks.", "encoder.", "decoder."}) {
    const std::string start = name;
    if (path.rfind(start, 0) != 0) continue;
    path[start.size()] = static_cast<char>('0' + (path[start.size()] - '0') % distinct);
  }
  return path;
}

struct Outcome {
  Tensor y;
  Values gradients;
};
Outcome outcome_of(const Module& model) {
  Tape tape;
  Pass pass = Pass::training(1, 2);
  Outcome outcome{model(ids, pass), {}};
  const Gradients all = tape.backward(sum(outcome.y * outcome.y));
  walk(model, [&](const std::string& path, const Parameter& p) {
    outcome.gradients[path] = all[p.value()];
  });
  return outcome;
}

/// Checks a model with shared layers against one whose layers have copies of the weights.
template <class Model>
void expect_copies(Index distinct, bool recompute) {
  ModelOptions options = small(distinct);
  options.recompute = recompute;
  Model shared(options);
  perturb_parameters(shared);
  options.share_layers = 0;
  Model copies(options);
  const Values values = values_of(shared);
  walk(copies, [&](const std::string& path, Parameter& p) {
    p.set(values.at(owner_path(path, distinct)) * 1.0);  // a tensor of its own
  });
  const Outcome ours = outcome_of(shared), theirs = outcome_of(copies);
  expect_equal(ours.y, theirs.y);
  Values sums;
  for (const auto& [path, gradient] : theirs.gradients) {
    Tensor& sum = sums[owner_path(path, distinct)];
    sum = sum ? sum + gradient : gradient;
  }
  BOOST_TEST(ours.gradients.size() == sums.size());
  BOOST_TEST(sums.size() < theirs.gradients.size());
  for (const auto& [path, gradient] : ours.gradients)
    expect_equal(gradient, sums.at(path), 1e-11, path);
}

}  // namespace

BOOST_AUTO_TEST_CASE(shared_layers_are_layers_with_copied_weights) {
  for (const Index distinct : {1, 2, 3})
    for (const bool recompute : {false, true}) {
      expect_copies<GPT>(distinct, recompute);
      expect_copies<Encoder>(distinct, recompute);
      expect_copies<EncoderDecoder>(distinct, recompute);
    }
}

BOOST_AUTO_TEST_CASE(each_use_of_a_layer_has_its_own_cache) {
  for (const bool tied_kv : {false, true}) {
    ModelOptions options = small(2);
    options.tied_kv = tied_kv;
    GPT model(options);
    perturb_parameters(model);
    Pass whole;
    const Tensor expected = model(ids, whole);
    Cache cache;
    for (Index t = 0; t < 6; ++t) {
      Pass pass;
      pass.cache = &cache;
      expect_equal(model(slice(ids, 1, t, t + 1), pass), slice(expected, 1, t, t + 1), 1e-13);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_model_lists_each_weight_once) {
  GPT model(small(2)), all(small(0));
  for (const auto& [path, value] : values_of(model))
    BOOST_TEST((path.rfind("blocks.", 0) != 0 || path.rfind("blocks.0.", 0) == 0 ||
                path.rfind("blocks.1.", 0) == 0),
               path);
  const Index block = count_parameters(model.blocks[0]);
  BOOST_TEST(count_parameters(model.blocks[4]) == block);
  BOOST_TEST(count_parameters(model) == count_parameters(all) - 3 * block);
  const std::string text = tree(model);
  const std::size_t line = text.find("blocks.2: Block");
  BOOST_TEST_REQUIRE(line < text.size());
  const std::string shown = text.substr(line, text.find('\n', line) - line);
  BOOST_TEST(shown.substr(shown.rfind(' ')) == " shared");
  // Modules have a name for each use, which hooks and errors report.
  BOOST_TEST(model.blocks[4].path == std::string("blocks.4"));
  BOOST_TEST(parameters(model.blocks[4])[0]->path == "blocks.0.attention_norm.gain");
}

BOOST_AUTO_TEST_CASE(as_many_distinct_layers_as_layers_share_nothing) {
  GPT all(small(5)), none(small(0));
  BOOST_TEST(count_parameters(all) == count_parameters(none));
  Pass a, b;
  expect_equal(all(ids, a), none(ids, b));
}

BOOST_AUTO_TEST_CASE(a_moved_model_keeps_its_shared_weights) {
  GPT model(small(1));
  Pass a, b;
  const Tensor before = model(ids, a);
  const GPT moved = std::move(model);
  expect_equal(moved(ids, b), before);
}

BOOST_AUTO_TEST_CASE(parameters_share_a_value) {
  Parameter owner({2}, Init::constant(3), false), other({2}, Init::constant(0), false);
  Parameter third({2}, Init::constant(0), false);
  other.share(owner);
  third.share(other);
  owner.initialise({}, DType::f64);
  owner.path = "first", other.path = "second";
  BOOST_TEST(&third.owner() == &owner);
  expect_equal(third.value(), {3, 3});
  Tape tape;
  const Tensor y = other * third;
  expect_equal(tape.backward(sum(y))[owner.value()], {6, 6});
  const std::string text = "parameter 'second' shares the value of 'first'; change that one";
  EXPECT_ERROR(TapeError, other.set(owner.value()), text);
  EXPECT_ERROR(TapeError, other.initialise({}, DType::f64), text);
  EXPECT_ERROR(TapeError, other.change<double>(), text);
  Parameter longer({3}, Init::constant(0), false);
  EXPECT_ERROR(ShapeError, longer.share(owner), "parameter: share: shapes (3) and (2) differ");
}

BOOST_AUTO_TEST_CASE(layers_of_different_shapes_are_refused) {
  struct Growing : Module {
    explicit Growing(Index size) : weight({size}, Init::constant(0), false) {}
    Tensor forward(const Tensor& x, Pass&) const override { return x; }
    void visit(Visitor& v) override { v("weight", weight); }
    Parameter weight;
  };
  Growing small_one(2), large(3);
  EXPECT_ERROR(ValueError, share_parameters(small_one, large),
               "share_parameters: the two modules have parameters of different shapes");
  EXPECT_ERROR(ValueError, GPT(small(6)),
               "GPT: share_layers is 6, expected 0 to 5, the number of layers");
}

BOOST_AUTO_TEST_SUITE_END()
