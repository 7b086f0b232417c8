// A custom metric: top-5 accuracy. Every evaluation computes it; metrics.jsonl, `eval` and `report`
// show it.
//   $ ./mine train copy --steps 30 --out run
//   $ ./mine eval run | grep "^top5: 0.8183 "
#include <tapehead/cli.hpp>

using namespace tapehead;

/// Returns the top-k accuracy of one example, k = `count`: the fraction of targets for which fewer
/// than `count` tokens have a larger logit. logits (n, vocabulary), targets i32 (n).
double among_likeliest(const Tensor& logits, const Tensor& targets, double count) {
  const Tensor right = one_hot(targets, logits.dim(1), logits.dtype());  // (n, vocabulary)
  const Tensor score = sum(logits * right, {1}, /*keep=*/true);          // (n, 1)
  const Tensor preferred = sum(cast(score < logits, DType::f64), {1});   // (n)
  return mean(cast(preferred < count, DType::f64)).item();
}

int main(int argc, char** argv) {
  Registry registry = make_registry();
  const auto top5 = [](const Tensor& logits, const Tensor& targets) {
    return among_likeliest(logits, targets, 5);
  };
  registry.metric({"top5", "right among the five likeliest", top5});
  return run(argc, argv, registry);
}
