#include "../../nn/gpt.hpp"
#include "../../optim/adamw.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(module)

namespace {

ModelOptions small() {
  ModelOptions options;
  options.vocabulary = 5;
  options.context = 4;
  options.width = 8;
  options.heads = 2;
  return options;
}

std::vector<std::string> paths(Module& module) {
  std::vector<std::string> all;
  for (const Parameter* p : parameters(module)) all.push_back(p->path);
  return all;
}

struct Twice : Module {
  Tensor forward(const Tensor& x, Pass& pass) const override { return in(in(x, pass), pass); }
  void visit(Visitor& v) override {
    v("in", in);
    v("again", in);
  }
  Linear in{3, 3};
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_module_that_is_listed_twice_is_refused) {
  Twice model;
  EXPECT_ERROR(
      Error, initialise(model, 1),
      "visit lists parameter 'in.weight' twice, also as 'again.weight'; list each module once");
  BOOST_TEST(count_parameters(model) == 12);
}

BOOST_AUTO_TEST_CASE(walking_a_part_of_a_model_renames_nothing) {
  GPT model(small());
  const std::vector<std::string> named = paths(model);
  BOOST_TEST_REQUIRE(named.back() == "norm.bias");
  Block& block = model.blocks[1];
  BOOST_TEST(count_parameters(block) > 0);
  BOOST_TEST(tree(block).find("attention: MultiHeadAttention") != std::string::npos);
  BOOST_TEST(!parameters(std::as_const(block)).empty());
  const AdamW adam(block);
  BOOST_TEST(paths(model) == named, boost::test_tools::per_element());
  BOOST_TEST(block.mlp->path == std::string("blocks.1.mlp"));
}

BOOST_AUTO_TEST_CASE(a_walk_tells_the_path_from_where_it_began) {
  GPT model(small());
  std::vector<std::string> of_mlp;
  walk(*model.blocks[1].mlp,
       [&](const std::string& path, Parameter& p) { of_mlp.push_back(path + " " + p.path); });
  const std::vector<std::string> expected = {
      "in.weight blocks.1.mlp.in.weight", "in.bias blocks.1.mlp.in.bias",
      "out.weight blocks.1.mlp.out.weight", "out.bias blocks.1.mlp.out.bias"};
  BOOST_TEST(of_mlp == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_constant_model_is_counted_and_printed) {
  const Linear layer(3, 2);
  BOOST_TEST(count_parameters(layer) == 8);
  BOOST_TEST(tree(layer) == "Linear    8\n  weight  (2, 3)\n  bias    (2)\n");
  walk(layer, [](const std::string& path, const Parameter& p) {
    BOOST_TEST(!path.empty());
    BOOST_TEST(p.path.empty());  // only initialise sets paths, and it wasn't called
  });
}

BOOST_AUTO_TEST_CASE(a_value_of_another_shape_is_refused) {
  Linear layer(3, 2);
  initialise(layer, 1);
  EXPECT_ERROR(ShapeError, layer.weight.set(zeros({3, 2})),
               "parameter 'weight' is (2, 3), but the new value is (3, 2)");
  EXPECT_ERROR(TypeError, layer.weight.set(zeros({2, 3}, DType::f64)),
               "parameter 'weight' is f32, but the new value is f64; convert it with cast, or the "
               "model with convert");
  EXPECT_ERROR(TypeError, layer.weight.set({}),
               "parameter: set: the tensor is null: it was never set, was moved from, or is an "
               "absent parameter");
  convert(layer, DType::f64);
  layer.weight.set(zeros({2, 3}, DType::f64));
}

BOOST_AUTO_TEST_CASE(a_forward_that_returns_nothing_is_named) {
  struct Empty : Module {
    Tensor forward(const Tensor&, Pass&) const override { return {}; }
    void visit(Visitor&) override {}
  };
  const Empty empty;
  Pass pass;
  expect_error<TypeError>([&] { empty(ones({2}), pass); }, "Empty: forward returned a null tensor");
  Linear layer(3, 2, {false});
  initialise(layer, 1);
  expect_error<TypeError>(
      [&] { ones({2}) * layer.bias; },
      "mul: tensor 2 of 2 is null: it was never set, was moved from, or is an absent "
      "parameter");
}

BOOST_AUTO_TEST_CASE(the_root_that_is_initialised_gives_the_names) {
  Linear layer(3, 2);
  expect_error<TapeError>([&] { layer.weight.value(); },
                          "a parameter of shape (2, 3) has no value: call initialise(model, seed) "
                          "first; if its model was moved, use the new object");
  initialise(layer, 1);
  BOOST_TEST(layer.weight.path == "weight");
  BOOST_TEST(layer.path == std::string());
  GPT model(small());
  initialise(model.blocks[0], 1);
  BOOST_TEST(model.blocks[0].path == std::string());
  BOOST_TEST(paths(model.blocks[0]).front() == "attention_norm.gain");
  BOOST_TEST(paths(model.blocks[1]).front() == "blocks.1.attention_norm.gain");
}

BOOST_AUTO_TEST_SUITE_END()
