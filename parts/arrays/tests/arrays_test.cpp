// Tests that a run's weights and its model's predictions are written in NumPy's format.
#include "../../../cli/commands/load_run.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/registered.hpp"
#include "../../../train/safetensors/safetensors.hpp"
#include "../../parts.hpp"
#include "stored_arrays.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(arrays, Elsewhere)

BOOST_AUTO_TEST_CASE(weights_and_predictions_go_out) {
  done(
      "train reverse --length 4 --symbols 4 --width 8 --heads 2 --layers 1 --steps 1 --batch 2 "
      "--arch gpt "
      "--out runs/r");
  done("export runs/r --format npz w.npz");
  const Arrays weights = stored_arrays_of_file("w.npz");
  const auto saved = read_safetensors("runs/r/model.safetensors").tensors;
  BOOST_TEST_REQUIRE(weights.size() == saved.size());
  for (const auto& [name, x] : saved) expect_equal(weights.at(name), x);

  const json evaluated = json_of("eval runs/r --examples 3 --predictions p.npz --json");
  const Arrays p = stored_arrays_of_file("p.npz");
  const LoadedRun run = load_run("runs/r", make_registry());
  const Index time = run.task->context(), vocabulary = run.task->vocabulary();
  BOOST_TEST(p.at("inputs").shape() == Shape({3, time}));
  BOOST_TEST(p.at("targets").shape() == Shape({3, time}));
  BOOST_TEST(p.at("logits").shape() == Shape({3, time, vocabulary}));
  BOOST_TEST(
      cross_entropy(p.at("logits"), p.at("targets")).item() == evaluated["loss"].get<double>(),
      boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(predictions_of_images_have_a_column_for_each_class,
                     *boost::unit_test::precondition(registered("shapes"))) {
  done("train shapes --width 8 --heads 2 --layers 1 --steps 1 --batch 2 --out runs/i");
  const json evaluated = json_of("eval runs/i --examples 3 --predictions p.npz --json");
  const Arrays p = stored_arrays_of_file("p.npz");
  BOOST_TEST(p.at("logits").shape() == Shape({3, 8}));
  BOOST_TEST(
      cross_entropy(p.at("logits"), p.at("targets")).item() == evaluated["loss"].get<double>(),
      boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_SUITE_END()
