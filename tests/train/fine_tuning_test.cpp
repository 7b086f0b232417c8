#include "../../train/model/fine_tuning.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../train/learner.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(fine_tuning, Elsewhere)

namespace {

const std::string tiny =
    "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
    "--eval-every 5";

std::map<std::string, Tensor> weights(const std::string& path) {
  return decode_safetensors(read_file(path + "/model.safetensors"), path).tensors;
}

std::unique_ptr<TaskModel> small_model() {
  TrainConfig config = small_config();
  return make_model(config, *make_task(config, registry()), registry());
}
std::vector<std::string> frozen(const std::string& patterns) {
  const auto model = small_model();
  freeze(*model->module, patterns);
  std::vector<std::string> paths;
  for (const Parameter* p : parameters(*model->module))
    if (!p->trainable) paths.push_back(p->path);
  return paths;
}
void expect_unfrozen(const std::string& patterns, const std::string& message) {
  const auto model = small_model();
  EXPECT_ERROR(UsageError, freeze(*model->module, patterns), message);
}

}  // namespace

BOOST_AUTO_TEST_CASE(init_loads_the_weights_of_a_run) {
  TrainConfig config = small_config();
  Listener first, second, third;
  run(config, "first", first);
  config.init = "first";
  config.seed = 5;
  config.steps = 1;
  config.lr = 1e-30, config.schedule = "constant";  // keeps the model unchanged
  const TrainOutcome outcome = run(config, "second", second);
  BOOST_TEST(outcome.evaluation.loss == metrics("first").back()["val_loss"].get<double>());
  const auto before = weights("first"), after = weights("second");
  for (const auto& [name, x] : before) expect_equal(after.at(name), x, 0, name);
  config.init = "";
  BOOST_TEST(run(config, "third", third).evaluation.loss != outcome.evaluation.loss);
}

BOOST_AUTO_TEST_CASE(init_loads_some_weights_of_a_run) {
  TrainConfig config = small_config();
  Listener first;
  run(config, "first", first);
  const auto before = weights("first");
  const RunFolder folder = RunFolder::open("first");

  const auto model = small_model(), drawn = small_model();
  load_initial_weights(*model->module, folder, "tokens*,blocks.*.mlp.*");
  walk(*model->module, [&](const std::string& path, Parameter& p) {
    const bool taken = path == "tokens.weight" || path.find(".mlp.") != std::string::npos;
    walk(*drawn->module, [&](const std::string& other, Parameter& q) {
      if (other == path) expect_equal(p.value(), taken ? before.at(path) : q.value(), 0, path);
    });
  });
  EXPECT_ERROR(UsageError, load_initial_weights(*model->module, folder, "blcks.*"),
               "--init-only blcks.*: matches no parameter; did you mean 'blocks.*'?");

  config.model.layers += 1;
  const auto deeper = make_model(config, *make_task(config, registry()), registry());
  EXPECT_ERROR(FileError, load_initial_weights(*deeper->module, folder, "blocks.*"),
               "--init first: parameter 'blocks.1.attention_norm.gain' is missing; to initialize "
               "missing parameters randomly, add --init-missing fresh");
  load_initial_weights(*deeper->module, folder, "", true);
  walk(*deeper->module, [&](const std::string& path, Parameter& p) {
    if (before.count(path) > 0) expect_equal(p.value(), before.at(path), 0, path);
  });
  config.model.layers -= 1;
  config.model.width *= 2;
  const auto wider = make_model(config, *make_task(config, registry()), registry());
  EXPECT_ERROR(
      FileError, load_initial_weights(*wider->module, folder, "tokens*", true),
      fmt::format("--init first: 'tokens.weight' is f32 {}, expected f32 {}",
                  before.at("tokens.weight").shape(), parameters(*wider->module)[0]->shape));
}

BOOST_AUTO_TEST_CASE(init_loads_the_weights_of_a_file) {
  TrainConfig config = small_config();
  Listener first, second;
  run(config, "first", first);
  const auto before = weights("first");
  write_safetensors("all.safetensors", {{}, before});
  config.init = "all.safetensors";
  config.seed = 5;
  config.steps = 1;
  config.lr = 1e-30, config.schedule = "constant";  // keeps the model unchanged
  run(config, "second", second);
  for (const auto& [name, x] : weights("second")) expect_equal(x, before.at(name), 0, name);

  const auto model = small_model();
  const auto refused = [&](const std::map<std::string, Tensor>& tensors, const std::string& text) {
    write_safetensors("some.safetensors", {{}, tensors});
    EXPECT_ERROR(FileError, load_initial_weights_from_file(*model->module, "some.safetensors"),
                 text);
  };
  auto fewer = before, more = before, wider = before;
  fewer.erase("tokens.weight");
  refused(fewer,
          "--init some.safetensors: parameter 'tokens.weight' is missing; to initialize "
          "missing parameters randomly, add --init-missing fresh");
  more["tail.bias"] = zeros({3});
  refused(more,
          "--init some.safetensors: the file has parameter \"tail.bias\", but the model doesn't");
  wider["tokens.weight"] = zeros({3});
  refused(wider, fmt::format("--init some.safetensors: 'tokens.weight' is f32 (3), expected f32 {}",
                             before.at("tokens.weight").shape()));
  write_safetensors("some.safetensors", {{}, fewer});
  load_initial_weights_from_file(*model->module, "some.safetensors", "", /*missing_stay=*/true);
  load_initial_weights_from_file(*model->module, "some.safetensors", "blocks.*");
}

BOOST_AUTO_TEST_CASE(the_command_reads_a_file_of_weights) {
  done(tiny + " --out r");
  done(tiny + " --out s --seed 3 --lr 1e-30 --min-lr 0 --init r/model.safetensors");
  for (const auto& [name, x] : weights("r")) expect_equal(weights("s").at(name), x, 0, name);
  expect_refused(tiny + " --init none.safetensors --out t",
                 "none.safetensors: No such file or directory", 1);
  std::ofstream("bad.safetensors") << "x";
  const Output bad = command(tiny + " --init bad.safetensors --out t");
  BOOST_TEST(bad.status == 1);
  BOOST_TEST(!std::filesystem::exists("t"));
}

BOOST_AUTO_TEST_CASE(a_run_resumes_without_its_init_run) {
  TrainConfig config = small_config();
  Listener listener, whole, part(4), rest;
  run(config, "first", listener);
  config.init = "first";
  run(config, "whole", whole);
  BOOST_TEST(run(config, "parts", part).interrupted);
  std::filesystem::remove_all("first");
  run(config, "parts", rest);
  BOOST_TEST(result("parts") == result("whole"), per_element());
}

BOOST_AUTO_TEST_CASE(the_first_parameter_that_differs_is_named) {
  done(tiny);
  const auto refused = [](const std::string& more, const std::string& message, int status = 1) {
    expect_refused(tiny + " --init runs/copy-0 " + more, message, status);
    BOOST_TEST(!std::filesystem::exists("runs/copy-1"));
  };
  const std::string file = "runs/copy-0/step-12/model.safetensors: ";
  refused("--width 16",
          file + "\"blocks.0.attention.out.bias\" is f32 (8), but the model has f32 (16)");
  refused("--layers 2", file + "\"blocks.1.attention.out.bias\" is missing, but the model has it");
  refused("--position none",
          file + "unexpected \"positions.weight\", which the model doesn't have");
  refused("--init runs/none", "runs/none: No such file or directory");
  refused("--freeze tokns*", "--freeze tokns*: matches no parameter; did you mean 'tokens.*'?", 2);
}

BOOST_AUTO_TEST_CASE(another_alphabet_is_refused) {
  std::ofstream("a.txt") << "a rose is a rose is a rose is a rose is a rose";
  std::ofstream("b.txt") << "a dove is a dove is a dove is a dove is a dove";
  const std::string train =
      "train text --context 8 --layers 1 --heads 2 --width 8 --steps 2 --data ";
  done(train + "a.txt");
  expect_refused(train + "b.txt --init runs/text-0",
                 "--init runs/text-0: its characters are ' aeiors', but the new run has ' "
                 "adeiosv'; set --characters ' aeiors'");
  done(train + "a.txt --init runs/text-0");
}

BOOST_AUTO_TEST_CASE(globs_choose_frozen_parameters) {
  BOOST_TEST(frozen("").empty());
  BOOST_TEST(frozen("tokens*") == Words{"tokens.weight"});
  BOOST_TEST(frozen("tokens.weight, positions.*") == (Words{"tokens.weight", "positions.weight"}));
  BOOST_TEST(frozen("*.bias").size() > 3u);
  for (const std::string& path : frozen("blocks.0.*")) BOOST_TEST(path.rfind("blocks.0.", 0) == 0u);
  BOOST_TEST(frozen("blocks.[0-9].mlp.*") == frozen("blocks.0.mlp.*"));
  BOOST_TEST(frozen("token?.weight") == Words{"tokens.weight"});
}

BOOST_AUTO_TEST_CASE(globs_that_match_nothing) {
  const std::string no = "matches no parameter; ";
  expect_unfrozen("tokens.wieght",
                  "--freeze tokens.wieght: " + no + "did you mean 'tokens.weight'?");
  expect_unfrozen("tokens*,blocks.1.*",
                  "--freeze blocks.1.*: " + no + "did you mean 'blocks.0.*'?");
  expect_unfrozen("embedding.of.symbols",
                  "--freeze embedding.of.symbols: " + no +
                      "the model has tokens.*, positions.*, blocks.*, norm.*");
  expect_unfrozen("tokens*,,norm*", "--freeze tokens*,,norm*: empty pattern");
  expect_unfrozen("*", "--freeze *: all parameters are frozen, expected at least one to train");
}

BOOST_AUTO_TEST_CASE(frozen_parameters_stay_and_have_no_gradient) {
  TrainConfig config = small_config();
  config.freeze = "tokens*,blocks.0.mlp.*";
  Learner learner(planned(config), registry(), true);
  Module& model = *learner.model->module;
  std::map<std::string, std::vector<double>> before;
  for (const Parameter* p : parameters(model)) before[p->path] = p->value().values();
  for (Index step = 0; step < 3; ++step) BOOST_TEST(learner.step(step).norm > 0);
  for (const Parameter* p : parameters(model))
    BOOST_TEST((p->value().values() == before[p->path]) == !p->trainable, p->path);

  StepResult result;
  const auto batch = learner.model->batch({learner.task->training_example(0, 0, 0)});
  const Gradients gradients = sharded_gradients(model, batch, 0, 0, 1, result);
  for (const Parameter* p : parameters(model))
    BOOST_TEST(gradients.contains(p->value()) == p->trainable, p->path);
}

BOOST_AUTO_TEST_CASE(results_are_bitwise_identical_for_threads_and_interruptions) {
  TrainConfig config = small_config();
  config.freeze = "positions*,blocks.0.attention.*";
  expect_repeatable(config);
}

BOOST_AUTO_TEST_SUITE_END()
