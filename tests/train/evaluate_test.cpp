#include "../../core/runtime/parallel.hpp"
#include "../../optim/optimizers.hpp"
#include "../../parts/parts.hpp"
#include "../../train/trainer.hpp"
#include "../shared/scratch.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(evaluate)

namespace {

constexpr Index vocabulary = 4, context = 9;

std::unique_ptr<TaskModel> small_model(Index symbols = vocabulary, Index longest = context) {
  ModelOptions options = small_options(symbols, longest);
  options.seed = 2;
  return opinionated_model(options);
}

/// A task with prompts and completions of many lengths. The completion is the model's prediction,
/// except in every third example.
class Echo : public BareTask {
 public:
  explicit Echo(const TaskModel& model) : model_(model) {}
  Index vocabulary() const override { return ::evaluate_suite::vocabulary; }
  Index context() const override { return ::evaluate_suite::context; }
  Index held_out_size() const override { return 200; }
  Example held_out_example(Index number) const override {
    Random random({1, Draw::test, 0, 0, static_cast<std::uint32_t>(number)});
    Example example;
    example.question = random.below(6);
    example.tokens.resize(std::max<Index>(example.question, 1));
    for (int& token : example.tokens) token = random.below(vocabulary());
    SampleOptions greedy;
    greedy.temperature = 0;
    greedy.tokens = 1 + random.below(4);
    const std::size_t place = random.below(greedy.tokens);
    const std::size_t given = example.tokens.size();
    example.tokens = generate(model_, example.tokens, greedy);
    if (number % 3 == 0) {
      int& token = example.tokens[given + place];
      token = (token + 1) % static_cast<int>(vocabulary());
    }
    return example;
  }

 private:
  const TaskModel& model_;
};

/// Returns the loss of a single example, summed over its targets.
double summed_loss(const TaskModel& model, const Example& example, Index& targets) {
  const Batch batch = make_batch({example});
  Pass pass = Pass::evaluation();
  const Tensor losses =
      log_softmax(cast((*model.module)(batch.inputs, pass), DType::f64));  // (1, time, vocabulary)
  double total = 0;
  for (Index time = 0; time < batch.targets.size(); ++time) {
    const Index target = batch.targets(time);
    if (target < 0) continue;
    total -= losses(time * losses.dim(2) + target);
    ++targets;
  }
  return total;
}

/// A model that reverses three of eight tokens, trained to about 50 % exact match.
struct HalfTrained {
  explicit HalfTrained(const std::string& arch) {
    const Registry registry = make_registry();
    TrainConfig config = registry.find_task("reverse").recipe;
    config.arch = arch;
    config.task_options = {{"length", "3"}, {"symbols", "8"}};
    config.model.heads = 2, config.model.kv_heads = 1, config.model.width = 16;
    config = validated(config, registry);
    task = make_task(config, registry);
    model = make_model(config, *task, registry);
    AdamW adam(*model->module, {0.01});
    for (Index step = 0; step < 1000 && share < 0.4; ++step) {
      std::vector<Example> examples;
      for (Index i = 0; i < 16; ++i) examples.push_back(task->training_example(0, step, i));
      training_step(*model->module, adam, model->batch(examples), 0, step, 1, 1);
      if (step % 10 == 9) share = tapehead::evaluate(*model, *task, 200).exact_match;
    }
    BOOST_TEST(share >= 0.4);
    BOOST_TEST(share < 1);
  }
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
  double share = 0;
};

Tensor ids(const std::vector<int>& tokens) {
  return tensor({tokens.begin(), tokens.end()}, {1, static_cast<Index>(tokens.size())}, DType::i32);
}

/// Generates the completion without a cache, recomputing all tokens for each new one. If the
/// correct completion is given (teacher forcing), each token follows the correct tokens.
std::vector<int> slow_answer(const TaskModel& model, const std::vector<int>& question, Index size,
                             const std::vector<int>& right = {}) {
  std::vector<int> said;
  for (Index place = 0; place < size; ++place) {
    std::vector<int> seen = question;
    if (model.arch == "encoder-decoder") seen.push_back(question.back());
    const std::vector<int>& told = right.empty() ? said : right;
    if (model.arch != "encoder") seen.insert(seen.end(), told.begin(), told.begin() + place);
    Pass pass = Pass::evaluation();
    const Tensor logits = (*model.module)(ids(seen), pass);
    const Index at = model.arch == "encoder" ? place : logits.dim(1) - 1;
    const auto scores = slice(logits, 1, at, at + 1).values();
    said.push_back(
        static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
  }
  return said;
}

}  // namespace

BOOST_AUTO_TEST_CASE(exact_match_equals_token_by_token_generation) {
  const Registry standard = make_registry();
  for (const std::string& arch : standard.find_task("reverse").architectures)
    BOOST_TEST_CONTEXT(arch) {
      const HalfTrained trained(arch);
      Index right = 0;
      for (Index number = 0; number < 200; ++number) {
        const Example example = trained.task->held_out_example(number);
        const auto split = example.tokens.begin() + example.question;
        const std::vector<int> wanted(split, example.tokens.end());
        right += slow_answer(*trained.model, {example.tokens.begin(), split}, 3) == wanted;
      }
      BOOST_TEST(trained.share == static_cast<double>(right) / 200);
      set_threads(2);
      BOOST_TEST(tapehead::evaluate(*trained.model, *trained.task, 200).exact_match ==
                 trained.share);
      set_threads(1);
    }
}

BOOST_AUTO_TEST_CASE(positions_count_predictions_under_teacher_forcing) {
  const Registry standard = make_registry();
  for (const std::string& arch : standard.find_task("reverse").architectures)
    BOOST_TEST_CONTEXT(arch) {
      const HalfTrained trained(arch);
      std::vector<Index> right(3);
      std::map<std::pair<int, int>, Index> heard;
      for (Index number = 0; number < 70; ++number) {
        const Example example = trained.task->held_out_example(number);
        const auto split = example.tokens.begin() + example.question;
        const std::vector<int> wanted(split, example.tokens.end());
        const std::vector<int> said =
            slow_answer(*trained.model, {example.tokens.begin(), split}, 3, wanted);
        for (std::size_t place = 0; place < 3; ++place) {
          right[place] += said[place] == wanted[place];
          ++heard[{wanted[place], said[place]}];
        }
      }
      const Evaluation result = tapehead::evaluate(*trained.model, *trained.task, 70);
      BOOST_TEST_REQUIRE(result.positions.size() == 3u);
      for (std::size_t place = 0; place < 3; ++place) {
        BOOST_TEST(result.positions[place].targets == 70);
        BOOST_TEST(result.positions[place].right == right[place]);
        BOOST_TEST(result.positions[place].share() == static_cast<double>(right[place]) / 70);
      }
      BOOST_TEST((result.confusions == heard));
      BOOST_TEST(result.all_positions().targets == 210);
      BOOST_TEST(result.all_positions().right == right[0] + right[1] + right[2]);
    }
}

// The completions are the model's predictions; in every third example, one token differs.
BOOST_AUTO_TEST_CASE(positions_of_answers_that_differ_in_length) {
  const auto model = small_model();
  const Echo task(*model);
  std::vector<Index> asked;
  for (Index number = 0; number < 200; ++number) {
    const Example example = task.held_out_example(number);
    const std::size_t size =
        example.tokens.size() - static_cast<std::size_t>(std::max<Index>(example.question, 1));
    asked.resize(std::max(asked.size(), size));
    for (std::size_t place = 0; place < size; ++place) ++asked[place];
  }
  const Evaluation result = tapehead::evaluate(*model, task, 200);
  BOOST_TEST_REQUIRE(result.positions.size() == asked.size());
  Index total = 0, wrong = 0;
  for (std::size_t place = 0; place < asked.size(); ++place)
    BOOST_TEST(result.positions[place].targets == asked[place]);
  for (const auto& [pair, times] : result.confusions) {
    total += times;
    if (pair.first != pair.second) wrong += times;
  }
  BOOST_TEST(total == result.all_positions().targets);
  BOOST_TEST(total - wrong == result.all_positions().right);
  BOOST_TEST(wrong >= 67);  // tokens after the wrong one may be wrong too
}

BOOST_AUTO_TEST_CASE(counts_by_length) {
  const auto model = small_model();
  const Echo task(*model);
  std::map<Index, std::array<Index, 3>> sources, targets;  // examples, exact matches, tokens
  for (Index number = 0; number < 200; ++number) {
    const Example example = task.held_out_example(number);
    const auto size = static_cast<Index>(example.tokens.size());
    for (auto* counts : {&sources[example.question], &targets[size - example.question]}) {
      ++(*counts)[0];
      (*counts)[1] += number % 3 == 0 ? 0 : 1;
      (*counts)[2] += size - std::max<Index>(example.question, 1);
    }
  }
  const Evaluation result = tapehead::evaluate(*model, task, 200);
  Index right = 0;
  for (const auto& [found, expected] :
       {std::pair(&result.by_source, &sources), {&result.by_target, &targets}}) {
    BOOST_TEST_REQUIRE(found->size() == expected->size());
    for (const auto& [length, counts] : *found) {
      BOOST_TEST_CONTEXT(length) {
        BOOST_TEST(counts.examples == expected->at(length)[0]);
        BOOST_TEST(counts.exact == expected->at(length)[1]);
        BOOST_TEST(counts.tokens.targets == expected->at(length)[2]);
        right += counts.tokens.right;
      }
    }
  }
  BOOST_TEST(right == 2 * result.all_positions().right);
}

BOOST_AUTO_TEST_CASE(reports_what_fraction_is_done) {
  const auto model = small_model();
  const Echo task(*model);
  for (int count : {1, 2}) {
    set_threads(count);
    std::vector<double> shares;
    tapehead::evaluate(*model, task, 200, true, [&](double share) { shares.push_back(share); });
    const std::vector<double> expected = {0.25, 0.5, 0.75, 1};
    BOOST_TEST(shares == expected, per_element());
  }
  set_threads(1);
}

BOOST_AUTO_TEST_CASE(ends_early_when_asked_to) {
  const auto model = small_model();
  const Echo task(*model);
  std::atomic<bool> stop = false;
  std::vector<double> fractions;
  const auto told = [&](double fraction) { fractions.push_back(fraction), stop = true; };
  BOOST_TEST(tapehead::evaluate(*model, task, 200, true, told, {}, &stop).examples == 0);
  BOOST_TEST(fractions.front() == 0.25);
  stop = false;
  BOOST_TEST(tapehead::evaluate(*model, task, 200, true, {}, {}, &stop).examples == 200);
}

BOOST_AUTO_TEST_CASE(loss_and_exact_match) {
  const auto model = small_model();
  const Echo task(*model);
  for (Index examples : {1, 3, 4, 100, 200}) {
    const Evaluation result = tapehead::evaluate(*model, task, examples);
    double loss = 0;
    Index targets = 0;
    for (Index number = 0; number < examples; ++number)
      loss += summed_loss(*model, task.held_out_example(number), targets);
    BOOST_TEST(result.examples == examples);
    BOOST_TEST(result.loss == loss / static_cast<double>(targets),
               boost::test_tools::tolerance(1e-6));
    const double wrong = (examples + 2) / 3;
    BOOST_TEST(result.exact_match ==
               (static_cast<double>(examples) - wrong) / static_cast<double>(examples));
  }
}

BOOST_AUTO_TEST_CASE(at_most_all_examples) {
  const auto model = small_model();
  const Echo task(*model);
  BOOST_TEST(tapehead::evaluate(*model, task, 1000).examples == 200);
  BOOST_TEST(tapehead::evaluate(*model, task, 10, false).exact_match == 0);
  EXPECT_ERROR(ValueError, tapehead::evaluate(*model, task, 0),
               "evaluate: 0 examples, expected at least 1");
}

BOOST_AUTO_TEST_CASE(results_are_bitwise_identical_for_any_threads) {
  const auto model = small_model();
  const Echo task(*model);
  const Evaluation one = tapehead::evaluate(*model, task, 200);
  for (int count : {2, 4}) {
    set_threads(count);
    const Evaluation more = tapehead::evaluate(*model, task, 200);
    BOOST_TEST(more.loss == one.loss);
    BOOST_TEST(more.exact_match == one.exact_match);
    BOOST_TEST((more.confusions == one.confusions));
  }
  set_threads(1);
}

BOOST_AUTO_TEST_CASE(runs_the_hook_of_the_evaluation_pass) {
  const auto model = small_model(), hooked = small_model();
  const Echo task(*model);
  hooked->evaluation.hook = [](const HookPoint& point, const Tensor& x) {
    return point.name == std::string("out") ? x * 0 : x;  // logits become 0
  };
  for (int count : {1, 2, 4}) {
    set_threads(count);
    const Evaluation found = tapehead::evaluate(*hooked, task, 200);
    BOOST_TEST(found.loss == std::log(vocabulary), boost::test_tools::tolerance(1e-6));
    BOOST_TEST(found.exact_match < tapehead::evaluate(*model, task, 200).exact_match);
  }
  set_threads(1);
  SampleOptions greedy;
  greedy.temperature = 0;
  greedy.tokens = 3;
  BOOST_TEST(generate(*hooked, {1, 2}, greedy) == (std::vector<int>{1, 2, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(text_counts_each_target_once) {
  const Scratch scratch;
  std::string letters;
  for (int i = 0; i < 1000; ++i) letters += "abcd"[i * i % 7 % 4];
  const auto text = make_registry().find_task("text").make(
      {{"data", scratch.write("x", letters)}, {"context", "7"}});
  const auto model = small_model(text->vocabulary(), text->context());
  double loss = 0;
  Index targets = 0;
  for (Index number = 0; number < text->held_out_size(); ++number)
    loss += summed_loss(*model, text->held_out_example(number), targets);
  BOOST_TEST(targets == 99);  // 100 characters without the first
  const Evaluation result = tapehead::evaluate(*model, *text, text->held_out_size());
  BOOST_TEST(result.loss == loss / 99, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(result.exact_match == 0);
}

BOOST_AUTO_TEST_CASE(records_nothing) {
  const auto model = small_model();
  const Echo task(*model);
  const Tape tape;
  tapehead::evaluate(*model, task, 10);
  BOOST_TEST(tape.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
