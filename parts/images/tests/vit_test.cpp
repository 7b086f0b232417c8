#include "../vit.hpp"
#include "../../../tests/shared/hooks.hpp"
#include "../../../tests/shared/layer_entries.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../train/step/cost.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(vit)

namespace {

/// Returns the options for images of 4 x 6 pixels in 2 x 3 patches.
PatchOptions patches(bool class_token = false) { return {{4, 6, 1, 5, 3}, 2, false, class_token}; }
ModelOptions small() {
  ModelOptions o;
  o.layers = 1, o.heads = 2, o.width = 8, o.dtype = DType::f64;
  return o;
}
Tensor images() {
  Tensor ids = Tensor::empty({2, 24}, DType::i32);
  auto* id = ids.mutable_data<std::int32_t>();
  for (int i = 0; i < 48; ++i) id[i] = 3 + i * i % 5;
  return ids;
}
Tensor output(const Module& module, const Tensor& x) {
  Pass pass;
  return module(x, pass);
}
std::vector<std::string> names(Module& module) {
  std::vector<std::string> all;
  for (const Parameter* p : parameters(module)) all.push_back(p->path);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(its_parameters) {
  ViT mean(small(), patches()), token(small(), patches(true));
  BOOST_TEST(names(mean)[2] == "positions.weight");
  BOOST_TEST((mean.patches.map.weight.shape == Shape{8, 4}));
  BOOST_TEST((parameters(mean)[2]->shape == Shape{6, 8}));
  BOOST_TEST(names(token)[2] == "class_token");
  BOOST_TEST((parameters(token)[3]->shape == Shape{7, 8}));
  BOOST_TEST(!token.class_token.decay);
  // Only weights within the blocks count as matrices.
  BOOST_TEST(mean.head.weight.matrices.empty());
  BOOST_TEST(mean.patches.map.weight.matrices.empty());
}

BOOST_AUTO_TEST_CASE(a_class_for_each_image) {
  for (const bool class_token : {false, true}) {
    const ViT model(small(), patches(class_token));
    const Tensor logits = output(model, images());
    BOOST_TEST((logits.shape() == Shape{2, 3}));
    // Rows don't depend on each other.
    expect_equal(output(model, slice(images(), 0, 1, 2)), slice(logits, 0, 1, 2), 1e-14);
  }
}

// Only positions distinguish patches: without them the mean is independent of the patches' order.
BOOST_AUTO_TEST_CASE(positions_tell_where_a_patch_is) {
  const Tensor upside_down = [] {
    const Tensor x = reshape(images(), {2, 2, 12});  // rows of patches
    return reshape(concat({slice(x, 1, 1, 2), slice(x, 1, 0, 1)}, 1), {2, 24});
  }();
  const Positions kinds[] = {Positions(), LearnedPositions{}, SinusoidalPositions{}};
  for (const Positions& position : kinds) {
    ModelOptions o = small();
    o.position = position;
    ViT model(o, patches());
    for (Parameter* p : parameters(model)) p->set(p->value() * 5.0);
    const Tensor there = output(model, images()), back = output(model, upside_down);
    double most = 0;
    for (const double difference : (there - back).values())
      most = std::max(most, std::abs(difference));
    if (!position.has_input_scheme())
      BOOST_TEST(most < 1e-14);
    else
      BOOST_TEST(most > 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(sinusoids_of_rows_and_columns) {
  ModelOptions o = small();
  o.position = SinusoidalPositions{};
  const ViT model(o, patches(true));
  Pass pass;
  const Tensor added = model.positions->add(zeros({1, 7, 8}, DType::f64), {}, 0, pass);
  const Tensor row = sinusoids(0, 2, 4, DType::f64), column = sinusoids(0, 3, 4, DType::f64);
  std::vector<Tensor> expected = {zeros({1, 8}, DType::f64)};  // the class token has no position
  for (Index r = 0; r < 2; ++r)
    for (Index c = 0; c < 3; ++c)
      expected.push_back(concat({slice(row, 0, r, r + 1), slice(column, 0, c, c + 1)}, 1));
  expect_equal(added, reshape(concat(expected, 0), {1, 7, 8}));
}

BOOST_AUTO_TEST_CASE(activation_checkpointing_is_bitwise_identical) {
  std::vector<std::vector<double>> found;
  for (const bool recompute : {false, true}) {
    ModelOptions o = small();
    o.recompute = recompute;
    o.dropout = 0.2;
    ViT model(o, patches(true));
    Tape tape;
    Pass pass = Pass::training(1, 2);
    const Tensor logits = model(images(), pass);
    const Gradients gradients = tape.backward(cross_entropy(logits, tensor({0, 2}, DType::i32)));
    for (Parameter* p : parameters(model)) found.push_back(gradients[p->value()].values());
  }
  const std::size_t half = found.size() / 2;
  for (std::size_t i = 0; i < half; ++i) BOOST_TEST(found[i] == found[half + i], per_element());
}

BOOST_AUTO_TEST_CASE(hooks_see_its_points) {
  ModelOptions o = small_options(0, 0, 2);
  o.dropout = 0.2;
  const ViT model(o, patches());
  expect_hooks_preserve_bits(model, images());
  expect_gradients_reach_hooks(model, images());
}

// A step takes 6 FLOPs per weight and token, and 12 * width FLOPs per query and key.
BOOST_AUTO_TEST_CASE(flops_of_a_step) {
  ModelOptions o = small();
  o.width = 64;
  const ViT model(o, {{8, 8, 1, 2, 3}, 4, false, true});  // 4 patches and a class token
  const double read = 4 * 16 * 64 + 5 * 12 * 64 * 64 + 64 * 3, attention = 2 * 5 * 5 * 64;
  const Tensor ids = full({1, 64}, 3, DType::i32);
  BOOST_TEST(step_flops(model, {ids, {}}) == 6 * (read + attention));
}

BOOST_AUTO_TEST_CASE(invalid_options_are_refused) {
  ModelOptions o = small();
  o.heads = 0;
  EXPECT_ERROR(ValueError, ViT(o, patches()), "ViT: heads is 0, expected at least 1");
  PatchOptions large = patches();
  large.side = 4;
  EXPECT_ERROR(ValueError, ViT(small(), large),
               "patches: 4 x 4 pixels don't divide an image of 4 x 6");
}

BOOST_AUTO_TEST_CASE(each_layer_has_an_entry) { expect_layers_have_entries("parts/images", 2); }

BOOST_AUTO_TEST_SUITE_END()
