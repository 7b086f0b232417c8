// A custom position scheme: Kerple, a learned bias by distance that acts in attention (Chi et al.,
// "KERPLE").
//   $ ./mine gradcheck kerple
//   $ ./mine check kerple
//   $ ./mine train induction --length 12 --symbols 8 --position kerple | grep "exact match 100"
#include <tapehead/cli.hpp>

#include <cmath>

using namespace tapehead;

/// Adds -r1 log(1 + r2 distance) to the scores, with learned r1 and r2 for each head. The
/// parameters are the logarithms of r1 and r2, which keeps both above 0.
struct Kerple : PositionScheme {
  Kerple(Index heads, double slope)
      : r1({heads, 1}, Init::constant(std::log(slope)), /*decay=*/false),
        r2({heads, 1}, Init::constant(0), /*decay=*/false) {}

  void score(AttentionOptions& how, Index queries, Index keys, DType dtype,
             const Pass&) const override {
    const Tensor place = cast(arange(queries + keys - 1), dtype);  // (queries + keys - 1)
    const Tensor distance = abs(place - static_cast<double>(keys - 1));
    how.bias = -exp(r1) * log(1 + exp(r2) * distance);  // (heads, queries + keys - 1)
  }
  void visit(Visitor& v) override {
    v("r1", r1);
    v("r2", r2);
  }

  Parameter r1, r2;  // (heads, 1)
};

struct KerpleOptions {
  double slope = 1;
  void options(Fields& f) { f("slope", slope, Range::positive(), "r1, where training begins"); }
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  const auto make = [](ModelOptions& model, const OwnValues& own) {
    const double slope = own.as<KerpleOptions>().slope;
    model.position = [=](const AttentionLayerOptions& o) {
      return std::make_unique<Kerple>(o.heads, slope);
    };
  };
  registry.position(
      {"kerple", "a learned bias, by log distance", make, {}, options_of<KerpleOptions>()});
  return run(argc, argv, registry);
}
