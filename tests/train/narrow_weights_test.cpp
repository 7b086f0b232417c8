#include "../../parts/parts.hpp"
#include "../../train/config/options.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/model/architecture.hpp"
#include "../../train/model/generate.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_model.hpp"

#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(narrow_weights, InScratch)

namespace {

/// The model of a small run of a task, and its prompts.
struct Small {
  Small(const std::string& task_name, const std::string& options)
      : config(config_of(task_name, options)), task(make_task(config, registry())) {}

  static const Registry& registry() {
    static const Registry standard = make_registry();
    return standard;
  }
  static TrainConfig config_of(const std::string& task, const std::string& options) {
    const TaskEntry& entry = registry().find_task(task);
    TrainConfig config = entry.recipe;
    for (const auto& [name, value] : parse_settings("--layers 1 --width 16 --heads 2 " + options))
      find_option(all_options(entry, registry()), name, task).set(config, value);
    return resolved(config, {}, registry());
  }
  Tensor logits_of(const TaskModel& model) const {
    std::vector<Example> examples;
    for (Index i = 0; i < 3; ++i) examples.push_back(task->held_out_example(i));
    Pass pass = Pass::evaluation();
    return (*model.module)(model.batch(examples).inputs, pass);
  }

  TrainConfig config;
  std::unique_ptr<Task> task;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_computes_with_its_rounded_weights) {
  std::vector<std::pair<std::string, std::string>> runs = {{"copy", "--tied-head false"},
                                                           {"copy", "--position rotary"}};
  std::set<std::string> kinds;
  for (const TaskEntry& entry : Small::registry().tasks())
    for (const std::string& kind : entry.architectures)
      if (entry.recipe.task_options.count("data") == 0 && kinds.insert(kind).second)
        runs.emplace_back(entry.name, "--arch " + kind);
  BOOST_TEST(kinds.size() >= 3u);
  for (const std::string& name : Small::registry().attentions().names())
    runs.emplace_back("copy", "--attention " + name);
  for (const auto& [task, options] : runs) {
    BOOST_TEST_CONTEXT(task << " " << options) {
      const Small small(task, options);
      const auto model = make_model(small.config, *small.task, Small::registry());
      ToyOptimizer optimizer(*model->module);
      const std::string folder = scratch.file("");
      write_checkpoint(folder, *model->module, optimizer, 3);

      const auto narrow = make_meta_model(small.config, *small.task, Small::registry());
      tapehead::narrow_weights(*narrow->module);
      BOOST_TEST(read_checkpoint(folder, *narrow->module, nullptr) == 3);
      const Tensor before = small.logits_of(*model);
      const std::vector<Parameter*> theirs = parameters(*narrow->module);
      Index narrowed = 0, all = 0;
      for (Parameter* p : parameters(*model->module)) {
        const Tensor& value = theirs[all++]->value();
        if (value.dtype() != DType::bf16) {
          expect_equal(value, p->value());
          continue;
        }
        ++narrowed;
        const Tensor rounded = cast(cast(p->value(), DType::bf16), DType::f32);
        expect_equal(cast(value, DType::f32), rounded);
        p->set(rounded);
      }
      BOOST_TEST(narrowed >= 4);
      const Tensor after = small.logits_of(*narrow);
      expect_equal(after, small.logits_of(*model));
      BOOST_TEST(amax(abs(after - before)).item() > 0);
      BOOST_TEST(amax(abs(after - before)).item() < 0.02);
    }
  }
}

BOOST_AUTO_TEST_CASE(weights_in_f64_are_not_rounded) {
  const Small small("copy", "--dtype f64");
  const auto model = make_model(small.config, *small.task, Small::registry());
  ToyOptimizer optimizer(*model->module);
  const std::string folder = scratch.file("");
  write_checkpoint(folder, *model->module, optimizer, 3);
  tapehead::narrow_weights(*model->module);
  EXPECT_ERROR(MismatchError, read_checkpoint(folder, *model->module, nullptr),
               folder +
                   "/model.safetensors: \"blocks.0.attention.out.weight\" is f64 (16, 16), but the "
                   "model has bf16 (16, 16)");
}

BOOST_AUTO_TEST_SUITE_END()
