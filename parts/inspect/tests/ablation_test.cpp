#include "../ablation.hpp"
#include "../../../core/ops.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "../../../train/evaluate.hpp"

#include <map>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(ablation)

namespace {

/// A task and an untrained model with two layers of two heads.
struct Case {
  explicit Case(const std::string& arch, const std::string& name = "reverse",
                const std::string& options = "length=4 symbols=5") {
    task = standard_task(name, options);
    ModelOptions o = small_options(task->vocabulary(), task->context(), 2);
    if (arch == "encoder") o.context = task->longest_question();
    if (arch == "encoder-decoder")
      o.source = task->longest_question(), o.context = task->longest_answer();
    model = opinionated_model(o, arch.c_str());
    sites = find_sites(*model, model->batch({task->held_out_example(0)}));
  }
  const Site& site(const std::string& name) const {
    for (const Site& one : sites)
      if (one.name() == name) return one;
    BOOST_FAIL("no site " << name);
    return sites[0];
  }
  Ablations measured(const std::vector<Ablation>& ablations, AblateBy by, Index examples) const {
    return ablate(*model, *task, ablations, by, examples);
  }

  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
  std::vector<Site> sites;
};

/// Returns 1 in the columns of a place, (width).
Tensor columns(const Site::Place& place, Index width) {
  std::vector<double> mask(static_cast<std::size_t>(width));
  for (Index i = place.first; i < place.end; ++i) mask[i] = 1;
  return tensor(mask);
}

/// Returns the loss over equally long examples in one batch. `value` computes the replacement for a
/// site's activations.
double slow_loss(const Case& c, const Site& site, Index examples,
                 const std::function<Tensor(const Tensor&)>& value) {
  std::vector<Example> all;
  for (Index i = 0; i < examples; ++i) all.push_back(c.task->held_out_example(i));
  const Batch batch = c.model->batch(all);
  const auto loss = [&](const Pass& with) {
    Pass pass = with;
    return cross_entropy((*c.model->module)(batch.inputs, pass), batch.targets).item();
  };
  std::map<std::string, Tensor> whole;  // the activations of the unablated model
  Pass reading;
  reading.hook = [&](const HookPoint& point, const Tensor& x) {
    whole[std::string(point.module) + point.name] = x;
    return x;
  };
  (void)loss(reading);
  Pass pass;
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    for (const Site::Place& place : site.places) {
      if (place.module != point.module || place.point != point.name) continue;
      const Tensor taken = columns(place, x.dim(2));
      const Tensor other = value(whole[place.module + place.point]);
      return x * (1 - taken) + broadcast_to(other, x.shape()) * taken;
    }
    return x;
  };
  return loss(pass);
}

}  // namespace

BOOST_AUTO_TEST_CASE(sites_are_all_components_of_a_model) {
  const auto names = [](const Case& c) {
    std::vector<std::string> all;
    for (const Site& site : c.sites) all.push_back(site.name());
    return all;
  };
  using Names = std::vector<std::string>;
  BOOST_TEST(
      names(Case("gpt")) == (Names{"head 0.0", "head 0.1", "attention 0", "mlp 0", "block 0",
                                   "head 1.0", "head 1.1", "attention 1", "mlp 1", "block 1"}),
      per_element());
  const Case two("encoder-decoder");
  const Names expected = {"head 2.0", "head 2.1",    "attention 2", "head 3.0",
                          "head 3.1", "attention 3", "mlp 2",       "block 2"};
  const Names found = names(two);
  BOOST_TEST(Names(found.begin() + 10, found.begin() + 18) == expected, per_element());
  BOOST_TEST(two.site("head 3.1").places[0].module == "decoder.0.cross");
  BOOST_TEST(two.site("block 2").places.size() == 3u);
}

BOOST_AUTO_TEST_CASE(losses_match_a_slow_reference) {
  constexpr Index examples = 9;
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    const Case c(arch);
    for (const Site& site : c.sites) BOOST_TEST_CONTEXT(arch << " " << site.name()) {
        const auto without = [&](AblateBy by) {
          return c.measured({{{&site}}}, by, examples).without[0].loss;
        };
        const double zero =
            slow_loss(c, site, examples, [](const Tensor& x) { return zeros(x.shape()); });
        const double mean = slow_loss(c, site, examples,
                                      [](const Tensor& x) { return tapehead::mean(x, {0}, true); });
        BOOST_TEST(zero != mean);
        BOOST_TEST(without(AblateBy::zero) == zero, boost::test_tools::tolerance(1e-5));
        BOOST_TEST(without(AblateBy::mean) == mean, boost::test_tools::tolerance(1e-5));
      }
  }
}

BOOST_AUTO_TEST_CASE(the_unablated_model_is_measured_like_evaluate) {
  // Regression has targets within the prompt, which don't belong to the completion.
  for (const Case& c : {Case("gpt"), Case("gpt", "regression", ""), Case("encoder-decoder")}) {
    const Ablations found = c.measured({}, AblateBy::mean, 300);
    const Evaluation expected = evaluate(*c.model, *c.task, 300);
    BOOST_TEST(found.examples == expected.examples);
    BOOST_TEST(found.whole.loss == expected.loss, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(found.whole.exact_match == expected.exact_match);
    BOOST_TEST(found.whole.difference_error == 0);
  }
}

BOOST_AUTO_TEST_CASE(ablating_an_unused_head_has_no_effect) {
  const Case c("gpt");
  walk(*c.model->module, [](const std::string& path, Parameter& p) {
    if (path != "blocks.0.attention.out.weight") return;
    p.set(p.value() * concat({ones({4}), zeros({4})}, 0));  // nothing reads head 0.1
  });
  const Ablations found =
      c.measured({{{&c.site("head 0.1")}}, {{&c.site("head 0.0")}}}, AblateBy::zero, 100);
  BOOST_TEST(found.without[0].loss == found.whole.loss);
  BOOST_TEST(found.without[0].exact_match == found.whole.exact_match);
  BOOST_TEST(found.without[0].difference_error == 0);
  BOOST_TEST(found.without[1].loss != found.whole.loss);
  BOOST_TEST(found.without[1].difference_error > 0);
}

BOOST_AUTO_TEST_CASE(ablating_an_unused_position_has_no_effect) {
  const Case c("gpt");  // reads four tokens and three target tokens
  const Site& last = c.site("block 1");
  const Ablations found =
      c.measured({{{&last}, 1}, {{&last}, 3}, {{&last}, 6}}, AblateBy::mean, 100);
  // Position 1 predicts no token of the completion.
  BOOST_TEST(found.without[0].loss == found.whole.loss);
  BOOST_TEST(found.without[1].loss != found.whole.loss);
  BOOST_TEST(found.without[2].loss != found.whole.loss);
}

BOOST_AUTO_TEST_CASE(sites_can_be_ablated_together) {
  const Case c("gpt");
  const Ablations found =
      c.measured({{{&c.site("head 1.0"), &c.site("head 1.1")}}, {{&c.site("attention 1")}}},
                 AblateBy::mean, 50);
  const Site &early = c.site("head 0.0"), &late = c.site("mlp 1");
  const Ablations mixed =
      c.measured({{{&early, &late}}, {{&late, &early}}, {{&late}}}, AblateBy::mean, 50);
  BOOST_TEST(mixed.without[0].loss == mixed.without[1].loss);
  BOOST_TEST(mixed.without[0].loss != mixed.without[2].loss);
  // The mean of a sum is the sum of the means, and the projection's bias is constant.
  BOOST_TEST(found.without[0].loss == found.without[1].loss, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(means_ignore_padding) {
  const Case c("gpt", "dyck", "length=16");
  BOOST_TEST_REQUIRE(evaluation_batch_size(*c.task) > 8);  // all examples are in one batch
  constexpr Index examples = 8;
  const Site& site = c.site("mlp 0");
  std::vector<std::vector<double>> sums(20, std::vector<double>(8));
  std::vector<double> counts(20);
  double total = 0, targets = 0;
  std::set<std::size_t> lengths;
  const auto pass_of = [&](Index number, const std::function<Tensor(const Tensor&)>& f) {
    Pass pass = Pass::evaluation();
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      return is_at(site.places[0], point) ? f(x) : x;
    };
    const Example example = c.task->held_out_example(number);
    lengths.insert(example.tokens.size());
    const Batch batch = c.model->batch({example});
    CrossEntropyOptions summed;
    summed.reduction = Reduction::sum;
    const double loss =
        cross_entropy((*c.model->module)(batch.inputs, pass), batch.targets, summed).item();
    for (double target : batch.targets.values()) targets += target >= 0 ? 1 : 0;
    return loss;
  };
  for (Index i = 0; i < examples; ++i)
    pass_of(i, [&](const Tensor& x) {
      for (Index t = 0; t < x.dim(1); ++t) {
        ++counts[t];
        for (Index k = 0; k < 8; ++k) sums[t][k] += x(t * 8 + k);
      }
      return x;
    });
  BOOST_TEST_REQUIRE(lengths.size() > 1u);
  targets = 0;
  for (Index i = 0; i < examples; ++i)
    total += pass_of(i, [&](const Tensor& x) {
      std::vector<double> means;
      for (Index t = 0; t < x.dim(1); ++t)
        for (Index k = 0; k < 8; ++k) means.push_back(sums[t][k] / counts[t]);
      return tensor(means, x.shape());
    });
  const Ablations found = c.measured({{{&site}}}, AblateBy::mean, examples);
  BOOST_TEST(found.without[0].loss == total / targets, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(bitwise_identical_for_any_number_of_threads) {
  const Case c("gpt");
  const std::vector<Ablation> ablations = {{{&c.site("head 0.0")}}, {{&c.site("mlp 1")}}};
  const Ablations alone = c.measured(ablations, AblateBy::mean, 400);
  set_threads(3);
  double most = 0;
  const Ablations together = ablate(*c.model, *c.task, ablations, AblateBy::mean, 400,
                                    [&](double share) { most = std::max(most, share); });
  set_threads(1);
  BOOST_TEST(most == 1);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST(alone.without[i].loss == together.without[i].loss);
    BOOST_TEST(alone.without[i].difference_error == together.without[i].difference_error);
  }
}

BOOST_AUTO_TEST_CASE(zero_examples_are_refused) {
  const Case c("gpt");
  EXPECT_ERROR(ValueError, c.measured({}, AblateBy::zero, 0),
               "ablate: needs at least 1 example, got 0");
}

BOOST_AUTO_TEST_SUITE_END()
