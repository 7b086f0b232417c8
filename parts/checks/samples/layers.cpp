#include "samples.hpp"

namespace tapehead::samples {
namespace {

// ---- matmul

std::vector<OpSample> of_matmul() {
  return {{"matrices", {x({2, 3}), x({3, 4}, 2)}},
          {"a batch with a batch", {x({2, 2, 3}), x({2, 3, 2}, 2)}},
          {"a batch with a matrix", {x({2, 2, 2, 3}), x({3, 2}, 2)}},
          {"a matrix with a batch", {x({2, 3}), x({2, 3, 2}, 2)}},
          {"a batch with a batch of one", {x({3, 2, 2}), x({1, 2, 2}, 2)}},
          {"batches that broadcast both ways", {x({2, 1, 2, 3}), x({3, 3, 1}, 2)}},
          {"one element", {x({1, 1}), x({1, 1}, 2)}},
          {"an empty sum", {x({2, 0}), x({0, 3}, 2)}},
          {"an empty sum in a batch", {x({2, 2, 0}), x({2, 0, 2}, 2)}},
          {"no rows", {x({0, 3}), x({3, 2}, 2)}},
          {"no columns", {x({2, 3}), x({3, 0}, 2)}},
          {"no matrices", {x({0, 2, 3}), x({0, 3, 2}, 2)}},
          {"no matrices with one", {x({0, 2, 3}), x({3, 2}, 2)}},
          {"a square by itself", twice(x({3, 3}))},
          {"a batch by itself", twice(x({2, 2, 2}))},
          {"a constant on the left", {x({2, 3}, 2), x({3, 2})}, {}, {0}},
          {"a constant on the right", {x({2, 3}), x({3, 2}, 2)}, {}, {1}}};
}

std::vector<OpSample> of_linear() {
  const Tensor square = x({2, 2});
  return {{"rows", {x({2, 3}), x({4, 3}, 2), x({4}, 3)}},
          {"two leading axes", {x({2, 2, 3}), x({2, 3}, 2), x({2}, 3)}},
          {"one row of two axes", {x({1, 3}), x({2, 3}, 2), x({2}, 3)}},
          {"one row of one axis", {x({3}), x({2, 3}, 2), x({2}, 3)}},
          {"one element", {x({1, 1}), x({1, 1}, 2), x({1}, 3)}},
          {"no rows", {x({0, 3}), x({2, 3}, 2), x({2}, 3)}},
          {"nothing in", {x({2, 0}), x({3, 0}, 2), x({3}, 3)}},
          {"nothing out", {x({2, 3}), x({0, 3}, 2), x({0}, 3)}},
          {"no bias", {x({2, 2, 3}), x({2, 3}, 2)}},
          {"x for W and b", {square, square, x({2}, 2)}},
          {"constant weights", {x({2, 3}), x({2, 3}, 2), x({2}, 3)}, {}, {1, 2}},
          {"a constant x", {x({4, 3}), x({2, 3}, 2), x({2}, 3)}, {}, {0}}};
}

// ---- normalization

std::vector<OpSample> along_an_axis() {
  return {{"rows", {x({3, 5})}},
          {"rows longer than registers", {x({2, 19})}},
          {"columns", {x({4, 3})}, {{"axis", 0}}},
          {"a middle axis", {x({2, 3, 2})}, {{"axis", 1}}},
          {"the last of four", {x({2, 1, 2, 3})}, {{"axis", 3}}},
          {"one axis", {x({4})}, {{"axis", 0}}},
          {"rows of one element", {x({3, 1})}, {{"axis", 1}}},
          {"equal elements", {zeros({2, 3}, DType::f64)}, {{"axis", 1}}},
          {"no rows", {x({0, 3})}, {{"axis", 1}}},
          {"rows of no elements", {x({3, 0})}, {{"axis", 1}}},
          {"one very large element", {tensor({30, 1, 0, -2}, {1, 4}, DType::f64)}, {{"axis", 1}}}};
}

std::vector<OpSample> of_layer_norm() {
  const Tensor vector = x({3}, 2), alone = x({3});
  return {{"rows", {x({3, 5}), x({5}, 2), x({5}, 3)}},
          {"rows longer than registers", {x({2, 19}), x({19}, 2), x({19}, 3)}},
          {"three axes", {x({2, 2, 3}), x({3}, 2), x({3}, 3)}},
          {"one row", {x({4}), x({4}, 2), x({4}, 3)}},
          {"no gain, no bias", {x({2, 5})}},
          {"rows of two", {x({2, 2})}},
          {"rows of one element", {x({3, 1}), x({1}, 2), x({1}, 3)}},
          {"gain and bias the same", {x({2, 3}), vector, vector}},
          {"all three the same", {alone, alone, alone}},
          {"a larger epsilon", {x({2, 3})}, {{"epsilon", 0.5}}},
          {"no rows", {x({0, 3}), x({3}, 2), x({3}, 3)}},
          {"rows of no elements", {x({2, 0}), x({0}, 2), x({0}, 3)}}};
}

std::vector<OpSample> of_rms_norm() {
  return {{"rows", {x({3, 5}), x({5}, 2)}},
          {"rows longer than registers", {x({2, 19}), x({19}, 2)}},
          {"three axes", {x({2, 2, 3}), x({3}, 2)}},
          {"one row", {x({4}), x({4}, 2)}},
          {"no gain", {x({2, 5})}},
          {"rows of one element", {nonzero_sample({3, 1}, 1), x({1}, 2)}},
          {"x and gain the same", twice(x({4}))},
          {"heads", {x({2, 3, 6}), x({2, 3}, 2)}},
          {"heads, and columns that are passed on", {x({2, 2, 7}), x({2, 2}, 2)}},
          {"a head longer than registers", {x({2, 45}), x({2, 19}, 2)}},
          {"heads of one row", {x({5}), x({2, 2}, 2)}},
          {"no heads", {x({2, 3}), x({0, 3}, 2)}},
          {"no rows of heads", {x({0, 6}), x({2, 2}, 2)}},
          {"no rows", {x({0, 3}), x({3}, 2)}},
          {"rows of no elements", {x({2, 0}), x({0}, 2)}}};
}

std::vector<OpSample> of_dropout() {
  return {{"rows", {x({4, 5})}, {{"p", 0.4}}},
          {"three axes", {x({2, 3, 4})}, {{"p", 0.7}, {"seed", 2}}},
          {"one axis", {x({6})}, {{"p", 0.5}}},
          {"a scalar", {x({})}, {{"p", 0.1}}},
          {"p = 0", {x({2, 3})}, {{"p", 0.0}}},
          {"p = 1", {x({2, 3})}, {{"p", 1.0}}},
          {"more than a block of draws", {x({1, 1100})}, {{"p", 0.5}}},
          {"no examples", {x({0, 3})}, {{"p", 0.5}}},
          {"no elements", {x({3, 0})}, {{"p", 0.5}}}};
}

// ---- losses

std::vector<OpSample> of_cross_entropy() {
  const auto with = [](const char* reduction, double label_smoothing = 0, int ignored = -1) {
    return std::vector<Attribute>{
        {"reduction", reduction}, {"label_smoothing", label_smoothing}, {"ignored", ignored}};
  };
  const Tensor three = row({2, 0, 4}), some = row({2, -1, -1, 0}), none = row({-1, -1});
  const Tensor two_axes = whole({0, 1, 2, 1, 1, 0}, {2, 3}), one = whole({3}, {});
  const Tensor peak = tensor({25, 1, 0, -1}, {1, 4}, DType::f64);
  return {{"rows", {x({3, 5}), three}},
          {"summed", {x({3, 5}), three}, with("sum")},
          {"smoothed labels", {x({3, 5}), three}, with("mean", 0.1)},
          {"smoothed labels, summed", {x({3, 5}), three}, with("sum", 0.4)},
          {"each", {x({3, 5}), three}, with("none")},
          {"each, smoothed labels", {x({3, 5}), three}, with("none", 0.1)},
          {"each of two axes", {x({2, 3, 4}), two_axes}, with("none")},
          {"each of one row", {x({4}), one}, with("none")},
          {"more classes than a register holds", {x({2, 19}), row({18, 3})}},
          {"targets of two axes", {x({2, 3, 4}), two_axes}},
          {"one row of no axis", {x({4}), one}},
          {"one class", {x({2, 1}), row({0, 0})}},
          {"one very large target logit", {peak, row({0})}},
          {"equal logits", {zeros({2, 3}, DType::f64), row({0, 2})}},
          {"some ignored", {x({4, 3}), some}},
          {"some ignored, smoothed", {x({4, 3}), some}, with("mean", 0.3)},
          {"each, some ignored", {x({4, 3}), some}, with("none")},
          {"each, some ignored, smoothed", {x({4, 3}), some}, with("none", 0.3)},
          {"each, all ignored", {x({2, 3}), none}, with("none")},
          {"each of no rows", {x({0, 3}), row({})}, with("none")},
          {"another id ignored", {x({3, 5}), three}, with("mean", 0.2, 2)},
          {"all ignored, summed", {x({2, 3}), none}, with("sum")},
          {"no rows, summed", {x({0, 3}), row({})}, with("sum")}};
}

std::vector<OpSample> of_mse() {
  return {{"mean", {x({2, 3}), x({2, 3}, 2)}},
          {"sum", {x({2, 3}), x({2, 3}, 2)}, {{"reduction", "sum"}}},
          {"each", {x({2, 3}), x({2, 3}, 2)}, {{"reduction", "none"}}},
          {"scalars", {x({}), x({}, 2)}},
          {"no elements, summed", {x({0, 3}), x({0, 3}, 2)}, {{"reduction", "sum"}}}};
}

}  // namespace

SampleTable layer_samples() {
  return {{"matmul", of_matmul()},
          {"linear", of_linear()},
          {"softmax", along_an_axis()},
          {"log_softmax", along_an_axis()},
          {"logsumexp", joined(along_an_axis(),
                               {{"the axis kept", {x({2, 3, 2})}, {{"axis", 1}, {"keep", true}}}})},
          {"layer_norm", of_layer_norm()},
          {"rms_norm", of_rms_norm()},
          {"dropout", of_dropout()},
          {"cross_entropy", of_cross_entropy()},
          {"mse", of_mse()}};
}

}  // namespace tapehead::samples
