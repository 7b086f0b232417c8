// Attention in primitive ops, one step per line, compared with the fused op.
#include <tapehead/tapehead.hpp>

#include <cmath>

#include "expect.hpp"

using namespace tapehead;

/// Computes causal attention, softmax(q k^T / sqrt(d)) v.
Tensor attention_by_hand(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Index time = q.dim(2), d = q.dim(3);
  const Tensor scores = matmul(q, transpose(k)) * (1 / std::sqrt(d));      // (B, H, T, T)
  const Tensor future = triu_mask(time, time, 1);                          // (T, T)
  const Tensor weights = softmax(masked_fill(scores, future, -INFINITY));  // (B, H, T, T)
  return matmul(weights, v);                                               // (B, H, T, d)
}

double difference(const Tensor& a, const Tensor& b) { return amax(abs(a - b)).item(); }

int main() {
  const Shape shape = {2, 3, 5, 4};  // (batch, heads, time, d)
  const Tensor q = random_normal(shape, RandomKey{1}, DType::f64);
  const Tensor k = random_normal(shape, RandomKey{2}, DType::f64);
  const Tensor v = random_normal(shape, RandomKey{3}, DType::f64);
  const Tensor dy = random_normal(shape, RandomKey{4}, DType::f64);

  Tape fused_tape;
  fused_tape.watch(q, k, v);
  Tensor weights;
  const Tensor fused = attention(q, k, v, {.causal = true, .weights = &weights});
  const std::size_t fused_size = fused_tape.size();
  const Gradients fused_grads = fused_tape.backward(fused, dy);  // the tape stops recording

  Tape tape;
  tape.watch(q, k, v);
  const Tensor by_hand = attention_by_hand(q, k, v);
  const std::size_t size = tape.size();
  const Gradients grads = tape.backward(by_hand, dy);

  fmt::print("on the tape: {} entries by hand, {} fused\n", size, fused_size);
  // The weights of the first example, first head, third query.
  const Tensor row = reshape(slice(slice(slice(weights, 0, 0, 1), 1, 0, 1), 2, 2, 3), Shape{5});
  fmt::print("weights of the third query: {}\n\n", row);

  expect(difference(by_hand, fused) < 1e-14, "both give the same result");
  for (const Tensor& x : {q, k, v})
    expect(difference(grads[x], fused_grads[x]) < 1e-13, "and the same gradient");
  expect(row(3) == 0 && row(4) == 0,
         "the third query attends to neither the fourth key nor the fifth");
  expect(std::abs(sum(row).item() - 1) < 1e-15, "its weights sum to 1");
}
