#include "samples.hpp"

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

Value ids(const std::vector<double>& values) { return tensor(values, DType::i32); }

CrossEntropyOptions smooth(double label_smoothing, Reduction reduction = Reduction::mean) {
  CrossEntropyOptions options;
  options.label_smoothing = label_smoothing;
  options.reduction = reduction;
  return options;
}
CrossEntropyOptions summed() { return smooth(0, Reduction::sum); }
CrossEntropyOptions unreduced(double label_smoothing) {
  return smooth(label_smoothing, Reduction::none);
}
CrossEntropyOptions ignoring(Index id) {
  CrossEntropyOptions options = smooth(0.2);
  options.ignored = id;
  return options;
}

Function against(const Value& targets, const CrossEntropyOptions& options = {}) {
  return [=](const Inputs& in) { return cross_entropy(in[0], targets, options); };
}
Function squares_against(const Value& targets) {
  return [=](const Inputs& in) { return cross_entropy(in[0] * in[0], targets); };
}
/// Where no target is ignored: -sum(q log p), q = (1 - s) one-hot + s / classes.
Function decomposition(const Value& targets, const CrossEntropyOptions& options) {
  return [=](const Inputs& in) {
    const Tensor logits = in[0];
    const Index classes = logits.dim(-1);
    const double s = options.label_smoothing;
    const Value q = one_hot(targets, classes, DType::f64) * (1 - s) + s / double(classes);
    const Value loss = -sum(q * log_softmax(in[0]), {-1});
    if (options.reduction == Reduction::none) return loss;
    return options.reduction == Reduction::mean ? mean(loss) : sum(loss);
  };
}

std::vector<OpSample> cross_entropy_samples() {
  std::vector<OpSample> all;
  const auto add = [&](const std::string& what, const Tensor& logits, const Value& targets,
                       const CrossEntropyOptions& options = {}) {
    all.push_back({what, {logits}, against(targets, options), decomposition(targets, options)});
  };
  const Value three = ids({2, 0, 4}), some = ids({2, -1, -1, 0}), none = ids({-1, -1});
  add("rows", x({3, 5}), three);
  add("summed", x({3, 5}), three, summed());
  add("smoothed labels", x({3, 5}), three, smooth(0.1));
  add("smoothed labels, summed", x({3, 5}), three, smooth(0.4, Reduction::sum));
  add("each", x({3, 5}), three, unreduced(0));
  add("each, smoothed labels", x({3, 5}), three, unreduced(0.1));
  add("each of two axes", x({2, 3, 4}), tensor({0, 1, 2, 1, 1, 0}, {2, 3}, DType::i32),
      unreduced(0));
  add("each of one row", x({4}), tensor({3}, {}, DType::i32), unreduced(0));
  add("more classes than a register holds", x({2, 19}), ids({18, 3}));
  add("targets of two axes", x({2, 3, 4}), tensor({0, 1, 2, 1, 1, 0}, {2, 3}, DType::i32));
  add("one row of no axis", x({4}), tensor({3}, {}, DType::i32));
  add("one class", x({2, 1}), ids({0, 0}));
  add("a target far above", tensor({25, 1, 0, -1}, {1, 4}, DType::f64), ids({0}));
  add("equal logits", zeros({2, 3}, DType::f64), ids({0, 2}));
  for (const OpSample& more : std::vector<OpSample>{
           {"some ignored", {x({4, 3})}, against(some)},
           {"some ignored, smoothed", {x({4, 3})}, against(some, smooth(0.3))},
           {"each, some ignored", {x({4, 3})}, against(some, unreduced(0))},
           {"each, some ignored, smoothed", {x({4, 3})}, against(some, unreduced(0.3))},
           {"each, all ignored", {x({2, 3})}, against(none, unreduced(0))},
           {"each of no rows", {x({0, 3})}, against(ids({}), unreduced(0))},
           {"another id ignored", {x({3, 5})}, against(three, ignoring(2))},
           {"all ignored, summed", {x({2, 3})}, against(none, summed())},
           {"no rows, summed", {x({0, 3})}, against(ids({}), summed())},
           {"the loss of a product with itself", {x({3, 5})}, squares_against(three)},
       })
    all.push_back(more);
  return all;
}

Value average(const Inputs& in) { return mse(in[0], in[1]); }
Value total(const Inputs& in) { return mse(in[0], in[1], Reduction::sum); }
Value squares(const Inputs& in) { return mse(in[0], in[1], Reduction::none); }
Value against_its_square(const Inputs& in) { return mse(in[0], in[0] * in[0]); }

std::vector<OpSample> mse_samples() {
  return {
      {"mean", {x({2, 3}), x({2, 3}, 2)}, average},
      {"sum", {x({2, 3}), x({2, 3}, 2)}, total},
      {"each", {x({2, 3}), x({2, 3}, 2)}, squares},
      {"scalars", {x({}), x({}, 2)}, average},
      {"no elements, summed", {x({0, 3}), x({0, 3}, 2)}, total},
      {"x against its square", {x({4})}, against_its_square},
  };
}

}  // namespace

std::vector<OpSamples> loss_samples() {
  return {{"cross_entropy", cross_entropy_samples()}, {"mse", mse_samples()}};
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
