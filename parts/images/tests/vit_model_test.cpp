#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/memory_need.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/config/validate.hpp"
#include "../../parts.hpp"
#include "../vit.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(vit_model)

BOOST_AUTO_TEST_CASE(sees_the_tasks_images) {
  const Registry registry = make_registry();
  const TaskEntry& entry = registry.find_task("shapes");
  TrainConfig config = default_config(entry);
  apply(parse_settings("--side 8 --patch 2 --pool class --width 16"), all_options(entry, registry),
        config);
  config = validated(config, registry);
  const auto task = make_task(config, registry);
  const auto model = make_model(config, *task, registry);
  const PatchOptions& patches = dynamic_cast<const ViTModel&>(*model).patches();
  BOOST_TEST(patches.tokens() == 17);
  BOOST_TEST(patches.shifted);
  BOOST_TEST(model->longest_question() == 64);
  const std::vector<Example> pictures = {task->training_example(0, 0, 0),
                                         task->training_example(0, 0, 1)};
  const Batch batch = model->batch(pictures);
  BOOST_TEST((batch.inputs.shape() == Shape{2, 64}));
  expect_equal(batch.targets, tensor({static_cast<double>(pictures[0].tokens[64]),
                                      static_cast<double>(pictures[1].tokens[64])},
                                     DType::i32));
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model->module)(batch.inputs, pass);
  BOOST_TEST((logits.shape() == Shape{2, 8}));
  const std::vector<int>& question = pictures[0].tokens;
  const auto decoding = model->decode({{question.begin(), question.end() - 1}});
  expect_equal(decoding->next({}), slice(logits, 0, 0, 1), 1e-5);
  BOOST_TEST(!decoding->next({0}));
  EXPECT_ERROR(UsageError, make_model(config, *registry.find_task("copy").make({}), registry),
               "--arch vit needs a task with images, such as digits");
}

BOOST_AUTO_TEST_CASE(memory_is_estimated) {
  expect_memory_exact(config_of("shapes", "--width 16 --shifted-patches true --pool class"));
  expect_default_memory_exact("shapes");
  expect_default_memory_exact("digits");
  // Patches of 2 divide the test's images.
  expect_default_memory_exact("images", {{"patch", "2"}});
  if (under_sanitizers) return;  // sanitizers change memory use
  for (const std::string options :
       {"--patch 4 --shifted-patches true --width 64 --layers 4 --batch 32",
        "--patch 2 --pool class --width 32 --layers 2 --batch 16"})
    BOOST_TEST_CONTEXT(options) {
      expect_memory_within_10_percent(config_of("shapes", "--threads 1 " + options));
    }
}

BOOST_AUTO_TEST_SUITE_END()
