// Your own metric: how often the right token is among the five likeliest. Every evaluation has it,
// in metrics.jsonl, `eval` and the report (`10_metric train modular`).
#include "expect.hpp"
#include "runs.hpp"

using namespace tapehead;

/// Of one example: logits (n, vocabulary), targets i32 (n) -> the share of its targets to which
/// fewer than `count` tokens are preferred.
double among_likeliest(const Tensor& logits, const Tensor& targets, double count) {
  const Tensor right = one_hot(targets, logits.dim(1), logits.dtype());  // (n, vocabulary)
  const Tensor score = sum(logits * right, {1}, /*keep=*/true);          // (n, 1)
  const Tensor preferred = sum(cast(score < logits, DType::f64), {1});   // (n)
  return mean(cast(preferred < count, DType::f64)).item();
}

/// The last number of that name in the metrics of a run.
double last_value(const std::string& run, const std::string& name) {
  const std::string line = last_metrics(run);
  const std::size_t at = line.find("\"" + name + "\":");
  return at == std::string::npos ? -1 : std::stod(line.substr(at + name.size() + 3));
}

int main(int argc, char** argv) {
  Registry registry = everything();
  const auto top5 = [](const Tensor& logits, const Tensor& targets) {
    return among_likeliest(logits, targets, 5);
  };
  registry.metric({"top5", "right among the five likeliest", top5});
  if (argc > 1) return run(argc, argv, registry);

  const Tensor logits = tensor({3, 1, 2, 0, 1, 2}, {2, 3});
  const Tensor targets = tensor({2, 0}, DType::i32);
  expect(among_likeliest(logits, targets, 2) == 0.5, "the second likeliest, and the last");

  const Folder folder;
  const std::string path = folder.path + "/run";
  expect(command("train copy --steps 30 --out " + path, registry) == 0, "a run has it");
  const double five = last_value(path, "top5"), whole = last_value(path, "exact_match");
  fmt::print("exact match {:.3f}, top 5 {:.3f}\n", whole, five);
  expect(five > 0.4 && five < 1 && five > whole, "the right token is often near the top");
  expect(command("eval " + path, registry) == 0, "and eval shows it");
}
