#include "../../train/model/fine_tuning.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../train/learner.hpp"
#include "../../train/runs/safetensors.hpp"

#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(fine_tuning)

namespace {

using Words = std::vector<std::string>;

const Words tiny = {"train",    "copy", "--length", "4",  "--symbols",    "4",
                    "--layers", "1",    "--heads",  "2",  "--width",      "8",
                    "--batch",  "8",    "--steps",  "12", "--eval-every", "5"};
Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

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
  expect_error<UsageError>([&] { freeze(*model->module, patterns); }, message);
}

}  // namespace

BOOST_AUTO_TEST_CASE(begins_with_the_weights_of_a_run) {
  const Scratch scratch;
  TrainConfig config = small_config();
  Listener first, second, third;
  run(config, scratch.file("first"), first);
  config.init = scratch.file("first");
  config.seed = 5;
  config.steps = 1;
  config.lr = 1e-30, config.min_lr = 0;  // the model stays
  const TrainOutcome outcome = run(config, scratch.file("second"), second);
  BOOST_TEST(outcome.evaluation.loss ==
             metrics(scratch.file("first")).back()["val_loss"].get<double>());
  const auto before = weights(scratch.file("first")), after = weights(scratch.file("second"));
  for (const auto& [name, x] : before) expect_equal(after.at(name), x, 0, name);
  config.init = "";
  BOOST_TEST(run(config, scratch.file("third"), third).evaluation.loss != outcome.evaluation.loss);
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_without_the_one_that_it_began_with) {
  const Scratch scratch;
  TrainConfig config = small_config();
  Listener listener, whole, part(4), rest;
  run(config, scratch.file("first"), listener);
  config.init = scratch.file("first");
  run(config, scratch.file("whole"), whole);
  BOOST_TEST(run(config, scratch.file("parts"), part).interrupted);
  std::filesystem::remove_all(scratch.file("first"));
  run(config, scratch.file("parts"), rest);
  BOOST_TEST(result(scratch.file("parts")) == result(scratch.file("whole")),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_parameter_that_differs_is_named) {
  const Elsewhere elsewhere;
  BOOST_TEST_REQUIRE(command(tiny).status == 0);
  const auto refused = [](const Words& more, int status, const std::string& message) {
    const Output output = command(tiny + Words{"--init", "runs/copy-0"} + more);
    BOOST_TEST(output.status == status);
    BOOST_TEST(output.errors == "tapehead: " + message + "\n");
    BOOST_TEST(!std::filesystem::exists("runs/copy-1"));
  };
  const std::string file = "runs/copy-0/step-12/model.safetensors: ";
  refused({"--width", "16"}, 1,
          file + "\"blocks.0.attention.out.bias\" is f32 (8), and the model has it as f32 (16)");
  refused({"--layers", "2"}, 1,
          file + "\"blocks.1.attention.out.bias\" is missing, and the model has it");
  refused({"--position", "none"}, 1, file + "\"positions.weight\" is unknown to the model");
  refused({"--init", "runs/none"}, 1, "runs/none: No such file or directory");
  refused({"--freeze", "tokns*"}, 2,
          "--freeze tokns*: no parameter has such a path; did you mean 'tokens.*'?");
}

BOOST_AUTO_TEST_CASE(another_alphabet_is_refused) {
  const Elsewhere elsewhere;
  std::ofstream("a.txt") << "a rose is a rose is a rose is a rose is a rose";
  std::ofstream("b.txt") << "a dove is a dove is a dove is a dove is a dove";
  const Words train = {"train", "text",    "--context", "8",       "--layers", "1",     "--heads",
                       "2",     "--width", "8",         "--steps", "2",        "--data"};
  BOOST_TEST_REQUIRE(command(train + Words{"a.txt"}).status == 0);
  const Output output = command(train + Words{"b.txt", "--init", "runs/text-0"});
  BOOST_TEST(output.errors ==
             "tapehead: --init runs/text-0: it knows the characters ' aeiors', and here they are "
             "' adeiosv'; give the same by --characters\n");
  BOOST_TEST(command(train + Words{"a.txt", "--init", "runs/text-0"}).status == 0);
}

BOOST_AUTO_TEST_CASE(globs_choose_what_stays) {
  BOOST_TEST(frozen("").empty());
  BOOST_TEST(frozen("tokens*") == Words{"tokens.weight"});
  BOOST_TEST(frozen("tokens.weight, positions.*") == (Words{"tokens.weight", "positions.weight"}));
  BOOST_TEST(frozen("*.bias").size() > 3u);
  for (const std::string& path : frozen("blocks.0.*")) BOOST_TEST(path.rfind("blocks.0.", 0) == 0u);
  BOOST_TEST(frozen("blocks.[0-9].mlp.*") == frozen("blocks.0.mlp.*"));
  BOOST_TEST(frozen("token?.weight") == Words{"tokens.weight"});
}

BOOST_AUTO_TEST_CASE(globs_that_match_nothing) {
  const std::string no = "no parameter has such a path; ";
  expect_unfrozen("tokens.wieght",
                  "--freeze tokens.wieght: " + no + "did you mean 'tokens.weight'?");
  expect_unfrozen("tokens*,blocks.1.*",
                  "--freeze blocks.1.*: " + no + "did you mean 'blocks.0.*'?");
  expect_unfrozen("embedding.of.symbols", "--freeze embedding.of.symbols: " + no +
                                              "there are tokens.*, positions.*, blocks.*, norm.*");
  expect_unfrozen("tokens*,,norm*", "--freeze tokens*,,norm*: a pattern is empty");
  expect_unfrozen("*", "--freeze *: nothing is left to train");
}

BOOST_AUTO_TEST_CASE(frozen_parameters_stay_and_have_no_gradient) {
  TrainConfig config = small_config();
  config.freeze = "tokens*,blocks.0.mlp.*";
  Learner learner(validated(config, registry()), registry(), true);
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

BOOST_AUTO_TEST_CASE(threads_and_interruptions_change_no_bit) {
  TrainConfig config = small_config();
  config.freeze = "positions*,blocks.0.attention.*";
  expect_repeatable(config);
}

BOOST_AUTO_TEST_SUITE_END()
