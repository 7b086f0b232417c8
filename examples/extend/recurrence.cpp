// A layer that keeps a state in the cache: a gated linear recurrence instead of attention (Martin
// and Cundy, "Parallelizing linear recurrent neural nets", 2018).
//   $ ./mine check recurrence
//   $ ./mine gradcheck recurrence
//   $ ./mine train copy --length 3 --symbols 8 --attention recurrence --steps 400
#include <tapehead/cli.hpp>

using namespace tapehead;

/// h_t = a_t h_{t-1} + (1 - a_t) x_t, with gates a_t computed from the token.
struct Recurrence : Module {
  explicit Recurrence(const AttentionLayerOptions& o)
      : in(o.width, 2 * o.width), out(o.width, o.width) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {  // (batch, time, width) -> same
    const Index width = x.dim(2), time = x.dim(1);
    const Tensor both = in(x, pass);  // (batch, time, 2 width)
    const Tensor gate = sigmoid(slice(both, 2, 0, width) + 2),
                 value = slice(both, 2, width, 2 * width);
    Tensor h = pass.cache ? pass.cache->state<Tensor>(this) : Tensor();
    if (!h) h = zeros(x.shape().with(1, 1), x.dtype());
    std::vector<Tensor> all;
    for (Index t = 0; t < time; ++t) {
      const Tensor a = slice(gate, 1, t, t + 1);
      h = a * h + (1 - a) * slice(value, 1, t, t + 1);  // (batch, 1, width)
      all.push_back(h);
    }
    if (pass.cache) pass.cache->state<Tensor>(this) = h;
    return out(concat(all, 1), pass);
  }
  void visit(Visitor& v) override { v("in", in), v("out", out); }
  Linear in, out;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  const auto make = [](ModelOptions& model, const OwnValues&) {
    model.attention = [](const AttentionLayerOptions& o) {
      return std::make_unique<Recurrence>(o);
    };
    model.attention.caches = true;
  };
  registry.attention({"recurrence", "a gated linear recurrence", make});
  return run(argc, argv, registry);
}
