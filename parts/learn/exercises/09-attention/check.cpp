// Compares your attention with the library's attention.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

Tensor known_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  AttentionOptions options;
  options.mask = mask;
  return attention(q, k, v, options);
}

/// Compares your results and gradients with the library's for this mask (queries, keys).
void compare(learn::Check& c, const Tensor& mask, const std::string& note) {
  const Index queries = mask.dim(0), keys = mask.dim(1);
  const Tensor q = c.normal({2, 2, queries, 3}), k = c.normal({2, 2, keys, 3}),
               v = c.normal({2, 2, keys, 3});
  c.equal("the result", my_attention(q, k, v, mask), known_attention(q, k, v, mask), 1e-9, note);
  c.gradients(
      {"q", "k", "v"}, [=](const auto& in) { return my_attention(in[0], in[1], in[2], mask); },
      [=](const auto& in) { return known_attention(in[0], in[1], in[2], mask); }, {q, k, v}, note);
}

void check(learn::Check& c) {
  c.part("by hand", [&] {
    const Tensor q = tensor({learn::whole(901), learn::whole(902), 0, 0}, {1, 1, 1, 4}, DType::f64);
    const Tensor k = tensor({1, 0, 0, 0, 0, 1, 0, 0, 5, 5, 5, 5}, {1, 1, 3, 4}, DType::f64);
    Tensor weights;
    AttentionOptions options;
    options.mask = tensor({1, 1, 0}, {1, 3}, DType::i32);
    options.weights = &weights;
    attention(q, k, k, options);
    const ByHand n = by_hand();
    const Tensor scores = matmul(q, transpose(k)) * 0.5;
    c.by_hand("score0", n.score0, scores(0));
    c.by_hand("score1", n.score1, scores(1));
    const Tensor following = softmax(tensor({n.score0, n.score1}, DType::f64));
    c.by_hand("weight0", n.weight0, weights(0), following(0));
    c.by_hand("weight1", n.weight1, weights(1), following(1));
    c.by_hand("weight2", n.weight2, weights(2));
  });
  c.part("mask", [&] {
    for (const auto& [queries, keys] : {std::pair<Index, Index>(4, 4), {2, 5}, {1, 3}}) {
      // A key is visible to a query if the library's attention weight is positive.
      Tensor weights;
      AttentionOptions options;
      options.causal = true;
      options.weights = &weights;
      const Tensor x = zeros({1, 1, keys, 2}, DType::f64);
      attention(zeros({1, 1, queries, 2}, DType::f64), x, x, options);
      const Tensor seen = reshape(weights, {queries, keys}) > 0;
      c.require(my_causal_mask(queries, keys).dtype() == DType::i32,
                "the mask has floats, expected integers, as returned by tril_mask");
      c.equal(fmt::format("the mask of {} queries and {} keys, at", queries, keys),
              my_causal_mask(queries, keys), seen);
    }
  });
  c.part("attention", [&] {
    compare(c, ones({3, 4}, DType::i32), "every key is visible");
    compare(c, tensor({1, 0, 0, 1, 1, 0, 1, 0, 1}, {3, 3}, DType::i32),
            "the mask is [[1, 0, 0], [1, 1, 0], [1, 0, 1]]");
  });
  c.part("empty row", [&] {
    compare(c, tensor({1, 1, 0, 0, 1, 0}, {3, 2}, DType::i32),
            "the mask is [[1, 1], [0, 0], [1, 0]]: the second query sees nothing");
  });
}
