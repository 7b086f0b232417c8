// Compares a vision transformer with PyTorch.
#include "../../../tests/shared/golden.hpp"
#include "../vit.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(golden_vit)

BOOST_AUTO_TEST_CASE(logits_loss_and_gradients) {
  each_golden_case("vit", [](GoldenCase& c) {
    const auto option = [&](const char* name) { return c.options.at(name).get<Index>(); };
    const PatchOptions patches = {{option("rows"), option("columns"), option("channels"),
                                   option("levels"), option("classes")},
                                  option("side"),
                                  true,
                                  true};
    ModelOptions o;
    o.layers = 1, o.heads = option("heads"), o.width = option("width"), o.dtype = c.dtype;
    o.temperature = Temperature::lsa;
    ViT model(o, patches);
    c.expect_training(model, "labels");
  });
}

BOOST_AUTO_TEST_SUITE_END()
