// A vision transformer against PyTorch.
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
    c.load(model);
    Tape tape;
    Pass pass;
    const Tensor logits = model(c.get("ids"), pass);
    c.expect("logits", logits);
    const Tensor loss = cross_entropy(logits, c.get("labels"));
    c.expect("loss", loss);
    c.expect_gradients(model, tape.backward(loss));
  });
}

BOOST_AUTO_TEST_SUITE_END()
