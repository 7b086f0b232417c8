#include "../../../cli/commands/load_run.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/registered.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"
#include "../command/experiments.hpp"

#include <cmath>
#include <map>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(inspect_command, Elsewhere)

namespace {

/// An attention layer without heads.
struct Same : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return x * 1.0; }
  void visit(Visitor&) override {}
};

/// Returns the document of a command that must succeed.
json found(const std::string& line) {
  return json::parse(done("inspect " + line + " --json").text);
}

/// Returns the rows of a document's first table by their first cell.
std::map<std::string, json> rows_of(const json& document) {
  std::map<std::string, json> rows;
  for (const json& row : document["tables"][0]["rows"])
    rows[row.contains("without") ? row["without"] : row["part"]] = row;
  return rows;
}

void train_induction() {
  done("train induction --length 12 --symbols 8 --steps 200 --keep 9 --eval-every 50 --out run");
}

const json& grid_of(const json& document, const std::string& title) {
  for (const json& grid : document["grids"])
    if (grid["title"] == title) return grid;
  BOOST_FAIL("no grid " << title);
  return document;
}

}  // namespace

BOOST_AUTO_TEST_CASE(ablating_the_induction_head_leaves_guessing) {
  done("train induction --out whole");
  for (const char* by : {"mean", "zero"}) {
    const auto rows = rows_of(found(fmt::format("ablate whole --by {}", by)));
    BOOST_TEST(rows.size() == 4u);  // a head and an attention layer in each of two blocks
    constexpr double chance = 1.0 / 16;
    for (const auto& [name, row] : rows) {
      BOOST_TEST(std::abs(row["exact match"].get<double>() - chance) < 0.04, name << by);
      BOOST_TEST(row["costs"].get<double>() > 3);
      BOOST_TEST(row["±"].get<double>() < 0.2);
    }
  }
}

BOOST_AUTO_TEST_CASE(ablations_can_be_selected_and_tracked) {
  train_induction();
  const json both = found("ablate run --heads 0.0,1.0 --examples 100");
  BOOST_TEST(rows_of(both).count("heads 0.0,1.0") == 1u);
  BOOST_TEST(has(both["notes"][0].get<std::string>(), "exact match 100.00 %, on 100 validation"));

  // In the last block, only the last position matters.
  const json positions = found("ablate run --positions --examples 100");
  const json& loss = grid_of(positions, "Loss increase");
  BOOST_TEST(loss["columns"].size() == 12u);
  for (int t = 0; t < 11; ++t) BOOST_TEST(loss["values"][1][t] == 0.0);
  BOOST_TEST(loss["values"][1][11].get<double>() > 1);
  BOOST_TEST(loss["values"][0][11].get<double>() < 1);

  // Over the checkpoints, the head becomes important.
  const json over = found("ablate run --checkpoints all --examples 100");
  BOOST_TEST(over["curves"][0]["steps"] == json({50, 100, 150, 200}));
  const json& line = over["curves"][0]["lines"]["head 1.0"];
  BOOST_TEST(line[0].get<double>() < 1);
  BOOST_TEST(line[3].get<double>() > 1);
  BOOST_TEST(found("ablate run --checkpoints 2 --examples 9")["curves"][0]["steps"] ==
             json({100, 200}));
}

BOOST_AUTO_TEST_CASE(patching_finds_where_the_answer_is) {
  train_induction();
  const json document = found(
      "patch run --clean '0 1 2 * 5 3 6 7 2 1 0 *' --corrupted "
      "'0 1 2 * 4 3 6 7 2 1 0 *'");
  BOOST_TEST(has(document["notes"][0].get<std::string>(), "→ 5; logit of 5 minus logit of 4"));
  BOOST_TEST(has(document["notes"][1].get<std::string>(), "→ 4; logit of 5 minus logit of 4: -"));
  const json& stream = grid_of(document, "Residual stream");
  BOOST_TEST(stream["rows"] == json({"embedding", "block 0", "block 1"}));
  BOOST_TEST(stream["columns"][4] == "5/4");
  for (int t = 0; t < 12; ++t) {
    BOOST_TEST(stream["values"][0][t] == (t == 4 ? 1.0 : 0.0));
    BOOST_TEST(stream["values"][2][t] == (t == 11 ? 1.0 : 0.0));
  }
  BOOST_TEST(stream["values"][1][4].get<double>() > 0.9);
  const json& heads = grid_of(document, "Heads' outputs");
  BOOST_TEST(heads["values"][1][11].get<double>() > 0.9);
  BOOST_TEST(grid_of(document, "Residual stream, by gradients")["values"][0][3] == 0.0);
  BOOST_TEST(has(document["notes"][3].get<std::string>(), "for the residual stream"));
  // Given completions are the same at all checkpoints, whatever the model predicts.
  const json over = found(
      "patch run --clean '0 1 2 * 5 3 6 7 2 1 0 * 5' --corrupted "
      "'0 1 2 * 4 3 6 7 2 1 0 * 3' --checkpoints all");
  BOOST_TEST(has(over["notes"][1].get<std::string>(), "→ 3; logit of 5 minus logit of 3: "));
  BOOST_TEST(over["curves"][0]["steps"] == json({50, 100, 150, 200}));
  const json& line = over["curves"][0]["lines"]["block 1"];
  for (const json& share : line) BOOST_TEST(share.get<double>() == 1.0);
  // Without prompts, uses validation examples.
  BOOST_TEST(has(found("patch run")["notes"][0].get<std::string>(), "Clean: "));
}

BOOST_AUTO_TEST_CASE(all_architectures_are_supported) {
  const std::string small = " --layers 1 --heads 2 --width 16 --eval-every 0 --out ";
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    done(fmt::format("train reverse --length 4 --symbols 5 --steps 100 --lr 1e-2 --arch {}{}{}",
                     arch, small, arch));
    const json ablated = found(fmt::format("ablate {} --examples 20", arch));
    BOOST_TEST(rows_of(ablated).size() == (arch == std::string("encoder-decoder") ? 13u : 5u));
    const json patched = found(fmt::format("patch {}", arch));
    BOOST_TEST(patched["grids"].size() == (arch == std::string("encoder-decoder") ? 12u : 6u));
  }
  std::ofstream("text.txt") << std::string(500, 'a') + "bc";
  done("train text --data text.txt --context 8 --steps 3" + small + "text");
  const json text = found("ablate text --examples 3");
  BOOST_TEST(!rows_of(text).at("mlp 0").contains("exact match"));
}

BOOST_AUTO_TEST_CASE(image_models_are_supported,
                     *boost::unit_test::precondition(registered("vit"))) {
  done(
      "train shapes --arch vit --steps 60 --layers 1 --heads 2 --width 16 --eval-every 0 --out "
      "vit");
  BOOST_TEST(rows_of(found("ablate vit --examples 20")).count("block 0") == 1u);
  const json image = found("patch vit");
  BOOST_TEST(image["grids"][0]["columns"].size() == 16u);
  BOOST_TEST(has(image["notes"][0].get<std::string>(), "Clean: an image"));
}

BOOST_AUTO_TEST_CASE(nan_losses_are_the_highest) {
  done(
      "train copy --length 4 --symbols 4 --layers 2 --heads 2 --width 8 --steps 3 --eval-every 0 "
      "--out run");
  const LoadedRun run = load_run("run", make_registry());
  walk(*run.model->module, [](const std::string& path, Parameter& p) {
    if (path == "blocks.1.attention.out.weight") p.set(p.value() / 0);
  });
  InspectArguments asked;
  asked.examples = 8;
  asked.by = "zero";
  const Document document = ablate_document(run, asked, Terminal());
  const auto& rows = document.tables[0].rows;
  BOOST_TEST(std::isnan(std::get<double>(rows.front()[1])));
  BOOST_TEST_REQUIRE(rows.size() == 10u);
  // Only these ablations remove the non-finite values.
  for (std::size_t i = 8; i < rows.size(); ++i) {
    const std::string name = std::get<std::string>(rows[i][0]);
    BOOST_TEST((name == "attention 1" || name == "block 1"), name);
    BOOST_TEST(std::isfinite(std::get<double>(rows[i][1])));
  }
  BOOST_TEST(has(to_text(document, Terminal()), "block 0           –"));
}

BOOST_AUTO_TEST_CASE(the_file_extension_selects_the_format) {
  done("train copy --length 4 --symbols 4 --steps 3 --eval-every 0 --out run");
  for (const char* name : {"found.html", "found.json", "found.txt"})
    BOOST_TEST(done(fmt::format("inspect ablate run --examples 8 --out {}", name)).text == "");
  BOOST_TEST(has(contents("found.html"), "<h1></h1>"));
  BOOST_TEST(json::parse(contents("found.json")) == found("ablate run --examples 8"));
  BOOST_TEST(found("ablate run --examples 8")["run"] == "run");
  const std::string text = done("inspect ablate run --examples 8").text;
  BOOST_TEST(contents("found.txt") == "Ablation · step 3 of run" + text.substr(text.find('\n')));
}

BOOST_AUTO_TEST_CASE(a_run_may_follow_two_dashes) {
  expect_refused("inspect heads -- x", "x: No such file or directory", 1);
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  done("train copy --length 4 --symbols 4 --steps 1 --eval-every 0 --out run");
  BOOST_TEST(has(done("inspect").text, "the loss without each head"));
  expect_refused("inspect ablat run", "unknown experiment 'ablat'; did you mean 'ablate'?");
  expect_refused("inspect ablate",
                 "inspect ablate: expected a run folder, as in inspect ablate runs/copy");
  expect_refused("inspect ablate none", "none: No such file or directory", 1);
  expect_refused("inspect ablate run --clean x",
                 "inspect ablate: --clean only applies to patch, path, edges, circuit");
  expect_refused("inspect ablate run --pairs --heads 0.0",
                 "inspect ablate: use only one of --heads, --pairs and --positions");
  Registry registry = make_registry();
  registry.attention("same", [](const AttentionLayerOptions&) { return std::make_unique<Same>(); });
  done("train copy --length 4 --symbols 4 --steps 1 --eval-every 0 --attention same --out same",
       registry);
  for (const char* option : {"--pairs", "--heads 0.0"})
    expect_refused(command(fmt::format("inspect ablate same {}", option), registry),
                   "inspect ablate: this model's attention doesn't expose single heads; remove "
                   "--heads and --pairs");
  expect_refused("inspect ablate run --checkpoint best --checkpoints all",
                 "inspect: --checkpoint or --checkpoints, not both");
  expect_refused("inspect ablate run --out x.html --json", "inspect: --out or --json, not both");
  expect_refused("inspect patch run --clean '0 1 2 3 0' --corrupted '0 1 2 3 0'",
                 "--clean and --corrupted must have different completions, but both have '0'");
  std::ofstream("text.txt") << std::string(500, 'a') + "bc";
  done("train text --data text.txt --context 8 --layers 1 --width 16 --steps 3 --out text");
  expect_refused("inspect patch text --clean abab --corrupted aba",
                 "--clean has 4 tokens and --corrupted has 3; they must have the same length");
}

BOOST_AUTO_TEST_SUITE_END()
