// Attention with a bidirectional prefix: prompt tokens attend to each other, and completion tokens
// attend to all tokens before them (Raffel et al., "Exploring the limits of transfer learning",
// 2020).
//   $ ./mine check prefix
//   $ ./mine train reverse --arch gpt --length 6 --symbols 8 --attention prefix --out run
//   $ ./mine eval run | grep "exact match 100"
//   $ ./mine attention run --layer 0 --head 0
#include <tapehead/cli.hpp>

using namespace tapehead;

struct Prefix : Module {
  explicit Prefix(const AttentionLayerOptions& o)
      : heads(o.heads), qkv(o.width, 3 * o.width), out(o.width, o.width) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {  // (batch, time, width) -> same
    const Index batch = x.dim(0), time = x.dim(1), width = x.dim(2);
    const Tensor all = qkv(x, pass);                                   // (batch, time, 3 width)
    Tensor mask = reshape(tril_mask(time, time), {1, 1, time, time});  // true: may attend
    if (const Tensor prompt = pass.from_batch("question")) {           // i32 (batch)
      const Tensor in_prompt = reshape(arange(time), {1, time}) < reshape(prompt, {batch, 1});
      mask = maximum(mask, reshape(in_prompt, {batch, 1, 1, time}));
    }
    AttentionOptions options;
    options.mask = mask;
    options.replace = pass.pattern(path);  // lets `attention` and hooks read the weights
    return out(multi_head_attention(slice(all, 2, 0, width), slice(all, 2, width, 2 * width),
                                    slice(all, 2, 2 * width, 3 * width), heads, heads, options),
               pass);
  }
  void visit(Visitor& v) override { v("qkv", qkv), v("out", out); }
  Index heads;
  Linear qkv, out;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.attention("prefix",
                     [](const AttentionLayerOptions& o) { return std::make_unique<Prefix>(o); });
  return run(argc, argv, registry);
}
