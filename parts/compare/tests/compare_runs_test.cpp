#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../train/safetensors/safetensors.hpp"
#include "../runs.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(compare_runs, Elsewhere)

namespace {

const std::string small =
    "train reverse --arch gpt --length 4 --symbols 5 --width 8 --heads 2 --layers 2 --batch 8 "
    "--steps 6 --eval-every 2 --keep 9 ";

ComparedRuns compared(const std::string& a, const std::string& b) {
  return tapehead::compare_runs(a, b, {}, 0, make_registry());
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_runs_are_reported_as_equal) {
  done(small + "--out a");
  done(small + "--threads 1 --out b");
  const std::string digest = json_of("digest a --json")["digest"];
  BOOST_TEST(done("compare a b").text ==
             "A  a\nB  b\n\n"
             "no difference: the options that affect the result, 6 lines of metrics and the\n"
             "weights are equal; the digest at step 6 is " +
                 digest + "\n");
  const json document = json_of("compare a b --json");
  BOOST_TEST(document["kind"] == "runs");
  BOOST_TEST(document["equal"] == true);
  BOOST_TEST(document["options"].empty());
  BOOST_TEST(document["metrics"]["first_step"].is_null());
  BOOST_TEST(document["checkpoints"].size() == 3u);
  BOOST_TEST(document["pass"]["first_value"].is_null());
  BOOST_TEST(command("compare a b --quiet").status == 0);
}

BOOST_AUTO_TEST_CASE(a_shorter_run_is_equal_up_to_its_end) {
  done(small + "--out a");
  done(small + "--steps 4 --schedule constant --out b");
  done(small + "--steps 4 --schedule constant --out c");
  done("train --resume c --steps 6 --change steps");
  const Output output = done("compare b c");
  BOOST_TEST(
      missing(output.text, {"  steps   4  6\n",
                            "metrics: 4 lines at the same steps, out of 4 in A and 6 in B, all ",
                            "weights at step 4: equal\n", "  every value is equal\n"}) == "");
  BOOST_TEST(command("compare b c --quiet").status == 1);
}

/// The number of heads doesn't change the weights, only how attention uses them.
BOOST_AUTO_TEST_CASE(a_pass_can_differ_with_equal_weights) {
  done(small + "--out a");
  std::filesystem::copy("a", "b", std::filesystem::copy_options::recursive);
  replace_in("b/config.toml", "heads = 2", "heads = 4");
  const Output output = done("compare a b");
  BOOST_TEST(missing(output.text, {"all options that affect the result are equal\n",
                                   "weights at step 6: equal\n",
                                   "first op that differs: blocks.0.attention/reshape\n"
                                   "  A  shape (1, 7, 2, 4)\n  B  shape (1, 7, 4, 2)\n"
                                   "  its inputs are equal, so the options of reshape differ\n"}) ==
             "");
  BOOST_TEST(command("compare a b --quiet").status == 1);
}

/// The comparison goes from the digests at the first checkpoint that differs down to the op.
BOOST_AUTO_TEST_CASE(finds_the_step_the_weight_and_the_op) {
  done(small + "--out a");
  done(small + "--freeze tokens.* --seed 0 --out b");
  const ComparedRuns runs = compared("a", "b");
  BOOST_TEST_REQUIRE(runs.options.size() == 1u);
  BOOST_TEST(runs.options[0].name == "freeze");
  BOOST_TEST(runs.options[0].b.value() == "tokens.*");
  BOOST_TEST(runs.metrics.losses.size() == 6u);
  BOOST_TEST(runs.metrics.first_step == 1);
  BOOST_TEST(runs.at->step_a == 2);
  BOOST_TEST(!runs.weights.same());
  BOOST_TEST(runs.weights.common.at("tokens.weight").differing > 0);
  const ComparedTapes tapes = compare_tapes(runs.passes->a, runs.passes->b);
  BOOST_TEST(tapes.name(tapes.value.row) == "tokens/gather_rows");
  BOOST_TEST(tapes.why_value() == "its weights differ: tokens.weight");
  const Output output = done("compare a b");
  BOOST_TEST(
      missing(output.text, {"options that differ\n", "  freeze  ''  tokens.*\n",
                            "metrics: 6 lines at the same steps; they first differ at step 1: ",
                            "checkpoints at the same step\n", "weights at step 2\n",
                            "pass of validation example 0 at step 2, in f64: ", "<- first op\n",
                            "first op that differs: tokens/gather_rows[0, 0, ",
                            "  its weights differ: tokens.weight\n"}) == "");
  expect_plain(output.text);
  const json document = json_of("compare a b --step 6 --example 3 --json");
  BOOST_TEST(document["at"]["step_a"] == 6);
  BOOST_TEST(document["pass"]["example"] == 3);
  BOOST_TEST(document["pass"]["first_value"]["step"] == "tokens/gather_rows");
  const json& step = document["pass"]["a"]["steps"][1];
  BOOST_TEST(step["path"] == "tokens/gather_rows");
  BOOST_TEST(step["shape"] == json({1, 7, 8}));
  BOOST_TEST(step["value"].size() == 56u);
  BOOST_TEST(step["summary"].get<std::string>().size() > 2u);
  BOOST_TEST(document["pass"]["rows"].size() == document["pass"]["a"]["steps"].size());
}

/// One element of one weight is changed. Everything before the op that uses it is equal.
BOOST_AUTO_TEST_CASE(names_the_op_that_uses_the_changed_weight) {
  done(small + "--out a");
  const RunFolder folder = RunFolder::open("a");
  std::map<std::string, Tensor> a = folder.last_record().weights, b = a;
  std::vector<double> values = a.at("blocks.1.mlp.in.bias").values();
  values[3] = std::nextafter(static_cast<float>(values[3]), 1.F);
  b["blocks.1.mlp.in.bias"] = tensor(values, DType::f32);
  const ComparedWeights weights = compare_weights(a, b);
  for (const auto& [name, difference] : weights.common)
    BOOST_TEST(difference.same() == (name != "blocks.1.mlp.in.bias"));
  const TensorDifference& found = weights.common.at("blocks.1.mlp.in.bias");
  BOOST_TEST(found.differing == 1);
  BOOST_TEST(found.first.element == 3);
  BOOST_TEST(found.ulps.value() == 1u);
  BOOST_TEST(missing(to_text(weights, 80), {"blocks.1.mlp.in.bias", "at [3]", " equal\n"}) == "");
}

BOOST_AUTO_TEST_CASE(models_of_other_sizes_are_compared) {
  done(small + "--out a");
  done(small + "--layers 3 --out deeper");
  const ComparedRuns deeper = compared("a", "deeper");
  BOOST_TEST(deeper.weights.only_a.empty());
  BOOST_TEST(deeper.weights.only_b.size() > 5u);
  BOOST_TEST(deeper.passes.has_value());
  done(small + "--width 16 --out wider");
  const Output wider = done("compare a wider");
  BOOST_TEST(missing(wider.text, {"  different shapes in A | B: ", "values\n", "shape  <- first op",
                                  "  A  shape (1, 7, 8)\n  B  shape (1, 7, 16)\n"}) == "");
  expect_plain(wider.text);
  // The vocabulary lacks tokens of A's example.
  done(
      "train copy --length 6 --symbols 3 --width 8 --heads 2 --layers 1 --steps 2 --eval-every 2 "
      "--out few");
  const Output few = done("compare a few");
  BOOST_TEST(missing(few.text, {"  task     reverse  copy\n", "no pass compared: A's example has ",
                                "B's model reads tokens 0 to "}) == "");
  expect_plain(few.text);
  expect_plain(done("compare few a").text);
}

BOOST_AUTO_TEST_CASE(a_damaged_checkpoint_is_skipped) {
  done(small + "--eval-every 2 --keep 3 --out a");
  done(small + "--eval-every 2 --keep 3 --out b");
  const std::string cut = "b/step-6/model.safetensors";
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 1);
  const Output output = command("compare a b");
  BOOST_TEST(output.status == 0);
  BOOST_TEST(has(output.errors, "b/step-6: damaged"), output.errors);
  BOOST_TEST(has(output.text, "step 4"), output.text);
}

BOOST_AUTO_TEST_CASE(missing_steps_and_examples_are_refused) {
  done(small + "--out a");
  done(small + "--seed 1 --out b");
  expect_refused("compare a b --step 3",
                 "--step 3: not a checkpoint of both runs; both have checkpoints at steps 2, 4, 6");
  expect_refused("compare a b --example 100000",
                 "--example 100000: the validation examples are 0 to 999");
  expect_refused("compare a nothing",
                 "compare: 'a' is a folder and 'nothing' isn't; expected two runs, or two "
                 "expressions");
}

// ---- metrics

BOOST_AUTO_TEST_CASE(finds_the_first_difference_of_metrics) {
  const std::vector<std::string> a = {
      R"({"step":1,"loss":2.5,"lr":0.1,"update_ratio":{"x":1,"y":2},"time":{"seconds":1}})",
      R"({"step":2,"loss":2.25,"attention_entropy":[[1,2]],"digest":"00"})",
      R"({"step":4,"loss":2})"};
  const std::vector<std::string> b = {
      R"({"step":1,"loss":2.5,"lr":0.1,"update_ratio":{"x":1,"y":2},"time":{"seconds":9}})",
      R"({"step":2,"loss":2.25,"attention_entropy":[[1,3]],"digest":"01","val_loss":7})",
      R"({"step":5,"loss":2})"};
  BOOST_TEST(compare_metrics(a, a).first_step == -1);
  const ComparedMetrics found = compare_metrics(a, b);
  BOOST_TEST(found.losses.size() == 2u);
  BOOST_TEST(found.first_step == 2);
  BOOST_TEST_REQUIRE(found.first.size() == 2u);
  BOOST_TEST(found.first[0].name == "attention_entropy[0][1]");
  BOOST_TEST(found.first[0].b.number() == 3);
  BOOST_TEST(found.first[1].name == "digest");
  BOOST_TEST(
      missing(to_text(found, 80), {"they first differ at step 2:\nattention_entropy[0][1]\n  A  2\n"
                                   "  B  3\n  also different: digest\n"}) == "");
  BOOST_TEST(to_text(compare_metrics({}, b), 80) ==
             "metrics: A has 0 lines, B has 3 lines, none at the same step\n");
}

BOOST_AUTO_TEST_SUITE_END()
