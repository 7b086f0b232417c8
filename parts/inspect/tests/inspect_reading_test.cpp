// Tests the experiments of inspect that read tokens: lens, gradients, circuits, neurons.
#include "../../../cli/commands/load_run.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"
#include "../command/experiment_input.hpp"

#include <nlohmann/json.hpp>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(inspect_reading)

namespace {

/// A run in `run` with two layers of two heads, trained to copy four tokens from a vocabulary of
/// four.
struct Run {
  Run() {
    done(
        "train copy --length 4 --symbols 4 --layers 2 --heads 2 --width 8 --batch 8 --steps 12 "
        "--out run");
  }
  nlohmann::json found(const std::string& line) const {
    return nlohmann::json::parse(done("inspect " + line + " --json").text);
  }
  Elsewhere elsewhere;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_lens_shows_layers_and_contributions_to_a_logit, Run) {
  const auto json = found("lens run --input '0 1 2 3 0 1 2 3'");
  const auto& likeliest = json["grids"][0];
  BOOST_TEST(likeliest["rows"] == nlohmann::json({"embedding", "layer 0", "layer 1"}));
  BOOST_TEST(likeliest["columns"] == nlohmann::json({"0", "1", "2", "3", "0", "1", "2"}));
  BOOST_TEST(json["grids"][1]["columns"] == nlohmann::json({"0", "1", "2", "3"}));
  BOOST_TEST(has(json["notes"][2], "to the logit of 0 at position 3 sum to"));
  const auto& rows = json["tables"][0]["rows"];
  BOOST_TEST(rows.size() == 11u);  // token, position, 2 (2 heads, a bias, an MLP), the norm's bias
  for (std::size_t i = 1; i < rows.size(); ++i)
    BOOST_TEST(std::abs(rows[i]["adds"].get<double>()) <=
               std::abs(rows[i - 1]["adds"].get<double>()));
  // The model completes a prompt, and its completion counts as the target.
  const auto asked = found("lens run --input '0 1 2 3'");
  BOOST_TEST(has(asked["notes"][0], "Input: --input, completed by the model: 0 1 2 3 "));
  BOOST_TEST(asked["grids"][1]["columns"].size() == 4u);
}

BOOST_FIXTURE_TEST_CASE(gradients_are_of_tokens_and_of_weights, Run) {
  const auto json = found("gradients run --example 2");
  BOOST_TEST(json["tables"][0]["rows"].size() == 7u);
  BOOST_TEST(json["tables"][1]["rows"].size() == 12u);
  const auto one = found("gradients run --example 2 --weight 'blocks.1.attention.qkv.weight (v)'");
  const auto& rows = one["tables"][1]["rows"];
  BOOST_TEST(rows.size() == 7u);
  for (const auto& row : rows)
    BOOST_TEST(row["input"].get<std::string>().size() == 7u);  // 4 tokens
  const auto norms = found("gradients run --norms --examples 9 --top 4");
  BOOST_TEST(norms["tables"][0]["rows"].size() == 4u);
  expect_refused("inspect gradients run --norms --examples 0",
                 "--examples must be at least 1, not 0");
}

BOOST_FIXTURE_TEST_CASE(circuits_have_token_maps_and_compositions, Run) {
  const auto json = found("circuits run --layer 1 --head 1 --tokens '3 1 3'");
  BOOST_TEST(json["title"] == "Circuits of head 1.1 · step 12");
  const auto& grids = json["grids"];
  BOOST_TEST_REQUIRE(grids.size() == 5u);
  for (std::size_t i : {0, 1}) {
    BOOST_TEST(grids[i]["rows"] == nlohmann::json({"3", "1"}));
    BOOST_TEST(grids[i]["columns"] == nlohmann::json({"3", "1"}));
  }
  for (std::size_t i : {2, 3, 4}) {
    BOOST_TEST(grids[i]["rows"] == nlohmann::json({"1.0", "1.1"}));
    BOOST_TEST(grids[i]["columns"] == nlohmann::json({"0.0", "0.1"}));
    for (const auto& row : grids[i]["values"])
      for (const auto& score : row) BOOST_TEST((score > 0 && score <= 1));
  }
  done("train recall --symbols 70 --layers 1 --width 8 --batch 8 --steps 1 --out large");
  const std::string error = command("inspect circuits large").errors;
  BOOST_TEST(has(error, "tokens is too large; select at most 64 with --tokens"), error);
}

BOOST_FIXTURE_TEST_CASE(neurons_are_listed_or_shown_singly, Run) {
  const auto all = found("neurons run --layer 1 --top 5 --examples 20");
  const auto& rows = all["tables"][0]["rows"];
  BOOST_TEST_REQUIRE(rows.size() == 5u);
  for (std::size_t i = 1; i < rows.size(); ++i)
    BOOST_TEST(rows[i - 1]["deviation"] >= rows[i]["deviation"]);
  const std::string number = rows[0]["neuron"];
  const auto one = found("neurons run --layer 1 --examples 20 --neuron " + number);
  BOOST_TEST(one["tables"][0]["rows"][0]["value"] == rows[0]["highest"]);
  BOOST_TEST(one["tables"][0]["rows"][0]["where"] == rows[0]["where it is highest"]);
  BOOST_TEST(one["tables"][1]["rows"][0]["token"] == rows[0]["token"]);
}

BOOST_FIXTURE_TEST_CASE(text_fits_a_terminal, Run) {
  for (const char* experiment : {"lens", "gradients", "gradients --norms", "circuits", "neurons"}) {
    const Words words = words_of(experiment);
    std::string line = "inspect " + words[0] + " run";
    if (words.size() > 1) line += " " + words[1];
    expect_plain(done(line).text);
  }
}

BOOST_FIXTURE_TEST_CASE(tokens_are_shown_in_context, Run) {
  const LoadedRun run = load_run("run", make_registry());
  BOOST_TEST(in_context(*run.task, {3, 1, 2}, 0) == "[3] 1 2");
  BOOST_TEST(in_context(*run.task, {3, 1, 2}, 2) == "3 1 [2]");
  BOOST_TEST(in_context(*run.task, {3}, 0) == "[3]");
  const Tensor scores = tensor({0.5, 2, 2, -1});
  BOOST_TEST(top_tokens(*run.task, scores, 3) == "1 2 0");
  BOOST_TEST(top_tokens(*run.task, scores, 9) == "1 2 0 3");
  BOOST_TEST(decimals_for({0.5, -31}) == 2);
  BOOST_TEST(decimals_for({0.012}) == 5);
  BOOST_TEST(decimals_for({4321}) == 0);
  BOOST_TEST(decimals_for({}) == 12);
}

BOOST_AUTO_TEST_SUITE_END()
