// A policy gradient: the task rewards the tokens that the model generates, 1 for each right token
// (Williams, "Simple statistical gradient-following algorithms for connectionist reinforcement
// learning", 1992).
//   $ ./mine train rewarded --out run
//   $ ./mine eval run | grep "exact match 100"
//   $ ./mine sample run --prompt 3102 | grep "out  3 1 0 2"
//   $ ./mine explain run --example 0 | grep "loss 0."
//   $ ./mine train rewarded --dtype f64 --steps 5
#include <tapehead/cli.hpp>
#include <tapehead/train/tasks/sequences.hpp>

using namespace tapehead;

/// Returns prompts, i32 (rows, time), followed by `more` tokens drawn from the model.
Tensor sampled(const TaskModel& model, Tensor ids, Index more, Pass& pass) {
  const Pause pause;  // sampling isn't differentiated
  for (Index i = 0; i < more; ++i) {
    Pass reading = Pass::evaluation();
    // (rows, 1, vocabulary)
    const Tensor last = slice((*model.module)(ids, reading), 1, ids.dim(1) - 1, ids.dim(1));
    const Tensor u = random_uniform(last.shape(), 1e-9, 1, pass.next_key(), last.dtype());
    ids = concat({ids, argmax(last - log(-log(u)), 2)}, 1);
  }
  return ids;
}

struct Rewarded : Sequences {
  using Sequences::Sequences;
  std::optional<Loss> loss(const TaskModel& model) const override {
    const auto regret = [&model](const Batch& batch, Pass& pass) {
      const Index rows = batch.inputs.dim(0), time = batch.inputs.dim(1), given = (time + 1) / 2;
      const Tensor ids = sampled(model, slice(batch.inputs, 1, 0, given), given, pass);
      const Tensor logits = (*model.module)(slice(ids, 1, 0, time), pass);
      const Tensor log_p = log_softmax(slice(logits, 1, given - 1, time));
      const Tensor drawn = slice(ids, 1, given, time + 1);  // (rows, given)
      const Tensor right = equal(drawn, slice(batch.targets, 1, given - 1, time));
      const Tensor reward = cast(right, logits.dtype());
      const Tensor gain = stop_gradient(reward - mean(reward, {0}, true));
      const Tensor likely = gather(log_p, reshape(drawn, {rows, given, 1}), 2);
      const Tensor surrogate = -mean(gain * reshape(likely, {rows, given}));
      return 1 - mean(reward) + surrogate - stop_gradient(surrogate);
    };
    return Loss{"regret", "of 1", regret};
  }
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  const SequenceRules rules{"rewarded", characters("0123"), [](Random& random) {
                              const std::vector<int> x = random_tokens(random, 4, 4);
                              return Example{{x[0], x[1], x[2], x[3], x[0], x[1], x[2], x[3]}, 4};
                            }};
  registry.task("rewarded", "copy a sequence, learned from rewards",
                recipe("--layers 2 --heads 2 --width 64 --lr 0.003 --batch 128 --steps 300"),
                [=] { return std::make_unique<Rewarded>(rules); });
  return run(argc, argv, registry);
}
