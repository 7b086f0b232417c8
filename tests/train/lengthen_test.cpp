#include "../../train/model/lengthen.hpp"
#include "../../parts/parts.hpp"
#include "../../train/trainer.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(lengthen)

namespace {

const Registry registry = make_registry();

struct Small {
  Small(const std::string& name, const std::string& arch, const std::string& position) {
    config = registry.find_task(name).recipe;
    config.arch = arch;
    config.position = position;
    config.task_options = {{"length", "6"}, {"symbols", "8"}};
    config.model.heads = 2, config.model.kv_heads = 0, config.model.width = 16;
    config = validated(config, registry);
    task = make_task(config, registry);
    model = make_model(config, *task, registry);
  }
  std::unique_ptr<Task> of_length(const char* length) const {
    return registry.find_task(config.task).make({{"length", length}, {"symbols", "8"}});
  }
  TrainConfig config;
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
};

std::vector<double> logits(const TaskModel& model, const Task& task) {
  Pass pass = Pass::evaluation();
  return (*model.module)(model.batch({task.held_out_example(0)}).inputs, pass).values();
}

}  // namespace

BOOST_AUTO_TEST_CASE(has_the_same_weights) {
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"})
    for (const std::string& position : registry.positions().names()) {
      if (position == "learned") continue;
      BOOST_TEST_CONTEXT(arch << ' ' << position) {
        const Small small("reverse", arch, position);
        const auto longer = small.of_length("12");
        const auto model = with_longer_context(*small.model, small.config, *longer, registry);
        BOOST_TEST_REQUIRE(bool(model));
        // Predictions for examples of the trained length are unchanged, except for rounding:
        // sources are padded, so sums have more terms.
        const auto before = logits(*small.model, *small.task);
        const auto after = logits(*model, *small.task);
        BOOST_TEST_REQUIRE(after.size() == before.size());
        for (std::size_t i = 0; i < after.size(); ++i)
          BOOST_TEST(std::abs(after[i] - before[i]) < 1e-5);
        const Evaluation result = evaluate(*model, *longer, 20);
        BOOST_TEST(result.positions.size() == 12u);
      }
    }
}

BOOST_AUTO_TEST_CASE(shorter_examples_need_no_other_model) {
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    const Small small("reverse", arch, "learned");
    for (const char* length : {"4", "6"}) {
      const auto other = small.of_length(length);
      BOOST_TEST(!with_longer_context(*small.model, small.config, *other, registry));
      BOOST_TEST(evaluate(*small.model, *other, 20).positions.size() ==
                 static_cast<std::size_t>(std::stoi(length)));
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_parameters_that_depend_on_the_length) {
  const Small small("copy", "gpt", "learned");
  EXPECT_ERROR(UsageError,
               with_longer_context(*small.model, small.config, *small.of_length("7"), registry),
               "positions.weight has shape (11, 16), which depends on the length: a model with "
               "--position learned can't read longer inputs; train it with --position none, "
               "sinusoidal, rotary, alibi, relative or t5, or with --random-positions");
}

BOOST_AUTO_TEST_CASE(refuses_other_tokens) {
  const Small small("copy", "gpt", "alibi");
  const auto other = registry.find_task("copy").make({{"length", "9"}, {"symbols", "9"}});
  EXPECT_ERROR(
      UsageError, with_longer_context(*small.model, small.config, *other, registry),
      "copy: at the new length the vocabulary has 9 tokens, but the model was trained with 8");
}

BOOST_AUTO_TEST_SUITE_END()
