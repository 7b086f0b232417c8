// The attention maps of each checkpoint in a report.
#include "../../../cli/attention/model_maps.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../report/maps.hpp"
#include "report_run.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(report_maps)

namespace {

namespace fs = std::filesystem;
using namespace report_runs;

}  // namespace

BOOST_AUTO_TEST_CASE(packs_weights_into_sixteen_bits) {
  BOOST_TEST(packed({1, 1, {0}}) == "AAA=");
  BOOST_TEST(packed({1, 2, {1, std::nan("")}}) == "/v///w==");  // fe ff, ff ff
  BOOST_TEST(packed({1, 3, {0.5, 0, 1}}) == "/38AAP7/");        // ff 7f, 00 00, fe ff
  BOOST_TEST(packed({}) == "");
}

BOOST_AUTO_TEST_CASE(entropy_says_how_evenly_a_head_looks) {
  BOOST_TEST(entropy({2, 2, {1, 0, 0, 1}}) == 0);
  BOOST_TEST(std::abs(entropy({2, 2, {0.5, 0.5, 0, 1}}) - std::log(2.0) / 2) < 1e-12);
}

BOOST_AUTO_TEST_CASE(maps_are_those_of_each_complete_checkpoint) {
  const Run made;
  train({"copy", "--length", "4", "--symbols", "4", "--layers", "2", "--heads", "2", "--width", "8",
         "--batch", "8", "--steps", "3", "--out", "early"});
  fs::copy("early/step-3", "run/step-3", fs::copy_options::recursive);
  fs::create_directory("run/step-9");  // an incomplete checkpoint
  std::ofstream("run/step-9/model.safetensors") << "half";
  fs::create_directory("run/step-10");
  const json checkpoints = report_of("run")["maps"]["checkpoints"];
  std::vector<Index> steps;
  for (const json& one : checkpoints) steps.push_back(one["step"]);
  BOOST_TEST(steps.front() == 3);
  BOOST_TEST(steps.back() == 12);
  BOOST_TEST(std::count(steps.begin(), steps.end(), 9) == 0);
  BOOST_TEST(checkpoints.front()["last"] == false);
  BOOST_TEST(checkpoints.back()["last"] == true);
  BOOST_TEST((checkpoints.front()["examples"] != checkpoints.back()["examples"]));
  const json early = report_of("early")["maps"]["checkpoints"];
  BOOST_TEST((checkpoints.front()["examples"] == early.back()["examples"]));
  // The expected weights of the first layer's heads, computed with the library.
  const LoadedRun run = load_run("run", make_registry());
  const auto maps = attention_maps(*run.model, *run.task, run.task->held_out_example(0));
  for (Index head = 0; head < 2; ++head)
    BOOST_TEST(checkpoints.back()["examples"][0][0][static_cast<std::size_t>(head)]["weights"] ==
               packed(maps[0].head(head)));
}

BOOST_AUTO_TEST_CASE(a_half_checkpoint_alone_is_an_error) {
  const Run made;
  fs::resize_file(fs::canonical("run/model.safetensors"), 100);
  fs::remove("run/best");
  fs::remove_all("run/step-6");
  const Output output = command({"report", "run"});
  BOOST_TEST(output.status == 1);
  BOOST_TEST(output.errors.rfind("tapehead: run/step-12", 0) == 0, output.errors);
  BOOST_TEST(!fs::exists("run/report.html"));
}

BOOST_AUTO_TEST_CASE(maps_keep_to_their_budget) {
  const Run made;
  ReportBudget budget;
  const json all = report_of("run", budget)["maps"];
  BOOST_TEST(all["examples"].size() == 4U);
  const json& heads = all["checkpoints"][0]["examples"][0][1];
  BOOST_TEST(heads.size() == 2U);
  // A copy example has 8 tokens, the last of which is never read; weights have 16 bits.
  const auto tokens = static_cast<Index>(all["examples"][0]["layers"][0]["keys"].size());
  BOOST_TEST(heads[1]["weights"].get<std::string>().size() ==
             static_cast<std::size_t>((2 * tokens * tokens + 2) / 3 * 4));
  budget.weights = 4 * tokens * tokens;  // enough for one example
  const json one = report_of("run", budget)["maps"];
  BOOST_TEST(one["examples"].size() == 1U);
  BOOST_TEST(one["checkpoints"].back()["step"] == 12);
  --budget.weights;
  const json none = report_of("run", budget);
  BOOST_TEST(none["maps"].is_null());
  BOOST_TEST(none["notes"].size() == 1U);
}

BOOST_AUTO_TEST_CASE(every_kind_of_model_shows_its_maps) {
  const Elsewhere elsewhere;
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    const std::string out = fmt::format("run-{}", arch);
    train({"reverse", "--arch", arch, "--length", "4", "--symbols", "4", "--width", "8", "--batch",
           "8", "--steps", "2", "--out", out});
    const json document = report_of(out);
    const json& layers = document["maps"]["examples"][0]["layers"];
    BOOST_TEST(layers.size() == (arch == std::string("encoder-decoder") ? 3U : 1U));
    const json& seen = document["maps"]["checkpoints"][0]["examples"][0];
    for (std::size_t i = 0; i < layers.size(); ++i)
      BOOST_TEST(seen[i][0]["weights"].get<std::string>().size() ==
                 (2 * layers[i]["queries"].size() * layers[i]["keys"].size() + 2) / 3 * 4);
    BOOST_TEST(document["notes"].empty());
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_vanishes_is_left_out) {
  const Run made;
  const LoadedRun run = load_run("run", make_registry());
  std::vector<SavedStep> saved =
      saved_steps(RunFolder::open("run"), *run.model->module);  // steps 6 and 12
  BOOST_TEST_REQUIRE(saved.size() == 2U);
  const auto shown = [&] { return parsed(maps_json(*run.model, *run.task, saved, 6, 1'000'000)); };
  const json before = shown();
  fs::remove_all("run/step-6");
  fs::remove_all("run/step-12");  // its weights are loaded in the model
  const json after = shown();
  BOOST_TEST(before["checkpoints"].size() == 2U);
  BOOST_TEST_REQUIRE(after["checkpoints"].size() == 1U);
  BOOST_TEST((after["checkpoints"][0] == before["checkpoints"][1]));
  BOOST_TEST(after["checkpoints"][0]["last"] == true);
}

BOOST_AUTO_TEST_SUITE_END()
