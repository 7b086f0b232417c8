#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../pages/tests/browser.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(study_command, Elsewhere)

namespace {

/// A study of two rows with two seeds, which trains for a moment.
const std::string tiny = R"(title = "Tiny"
question = "Does a larger learning rate help?"
seeds = 2
[train]
task = "copy"
length = 4
symbols = 4
heads = 1
width = 8
batch = 8
steps = 40
eval-every = 10
position = "rotary"
[axis.rate]
"0.001" = "--lr 0.001"
"0.01" = "--lr 0.01"
[measure]
loss = "last val_loss"
"right at 6" = "eval --length 6 --examples 50: at_length.exact_match, percent"
"below 0.1" = "first step with loss < 0.1"
[published.loss]
source = "a guess"
"0.001" = "2 +- 1"
"0.01" = "9 +- 10 %"
[figure."Loss"]
curve = "val_loss"
log-y = true
[figure."Loss by rate"]
measure = "loss"
against = "rate"
log-x = true
[answer."It helps."]
"0.01: loss" = "< 0.001: loss"
[answer."It hurts."]
"0.01: loss" = "> 0.001: loss"
[quick]
steps = 2
)";

void write(const std::string& name, const std::string& text) {
  std::ofstream(name, std::ios::binary) << text;
}

/// Writes the study `tiny` with one text replaced.
void write_tiny_with(const std::string& from, const std::string& to) {
  std::string text = tiny;
  BOOST_TEST_REQUIRE(text.find(from) != std::string::npos);
  write("tiny.toml", text.replace(text.find(from), from.size(), to));
}

json results_in(const std::string& folder) {
  json results = json::parse(contents(folder + "/study.json"));
  results.erase("seconds");
  return results;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_of_ones_own) {
  write("tiny.toml", tiny);
  const Output first = done("study tiny.toml --jobs 1");
  BOOST_TEST(missing(first.text, {"4 of 4: rate=0.01,seed=1", "\nTiny\n", "median over 2 seeds",
                                  "\nIt helps.\n", "Not supported by these runs: It hurts. (0.01: ",
                                  "differs", "agrees", "never",
                                  "wrote a page and figures: studies/tiny/report.html\n"}) == "",
             first.text);
  const json results = results_in("studies/tiny");
  BOOST_TEST(results["rows"].size() == 2u);
  BOOST_TEST(results["rows"][0]["runs"].size() == 2u);
  BOOST_TEST(results["rows"][0]["runs"][0]["values"][2] == "never");
  BOOST_TEST(results["answers"][0]["supported"] == true);
  BOOST_TEST(results["answers"][1]["supported"] == false);
  BOOST_TEST(std::filesystem::exists("studies/tiny/figures/loss-by-rate.svg"));
  const json page = data_of(contents("studies/tiny/report.html"))["study"];
  BOOST_TEST(page["figures"].size() == 2u);
  BOOST_TEST(page["tables"][0]["rows"][0] == json({"rate", "loss", "right at 6, %", "below 0.1"}));
  // The measured value comes from the command.
  const json evaluated =
      json::parse(done("eval studies/tiny/rate=0.01,seed=1 --length 6 --examples 50 --json").text);
  BOOST_TEST(results["rows"][1]["runs"][1]["values"][1].get<double>() ==
             100 * evaluated["at_length"]["exact_match"].get<double>());

  // Again, nothing is trained or measured.
  const std::string metrics = contents("studies/tiny/rate=0.01,seed=1/metrics.jsonl");
  const std::string measured = contents("studies/tiny/measured.jsonl");
  const Output second = done("study tiny.toml --format markdown");
  BOOST_TEST(has(second.text, "| rate | loss | right at 6, % | below 0.1 |\n|---|---:|"));
  BOOST_TEST(contents("studies/tiny/rate=0.01,seed=1/metrics.jsonl") == metrics);
  BOOST_TEST(contents("studies/tiny/measured.jsonl") == measured);
  BOOST_TEST(results_in("studies/tiny") == results);

  BOOST_TEST(json::parse(done("study tiny.toml --json").text)["rows"] == results["rows"]);
  BOOST_TEST(has(done("study tiny.toml --dry-run --out other").text, "nothing was written\n"));
  BOOST_TEST(!std::filesystem::exists("other"));
  const Output quick = done("study tiny.toml --quick");
  BOOST_TEST(has(quick.text, "These runs of --quick only show that the study works"));
  BOOST_TEST(json::parse(contents("studies/tiny-quick/study.json"))["answers"].empty());
}

BOOST_AUTO_TEST_CASE(an_axis_as_columns) {
  write("grid.toml", R"(title = "Grid"
columns = "heads"
seeds = 1
[train]
task = "copy"
length = 4
width = 8
batch = 4
steps = 2
[axis.rate]
"0.001" = "--lr 0.001"
"0.01" = "--lr 0.01"
[axis.heads]
one = "--heads 1"
two = "--heads 2"
four = "--heads 4"
[measure]
loss = "last val_loss"
right = "last exact_match, percent"
[published.loss]
source = "a guess"
"0.001 · [ot]*" = "2 +- 1"
"0.01 · four" = "3 +- 1"
)");
  const Output text = done("study grid.toml");
  BOOST_TEST(
      missing(text.text, {"\nloss\nrate ", "\nright, %\nrate ", "published: a guess\n"}) == "",
      text.text);
  const json page = data_of(contents("studies/grid/report.html"))["study"];
  BOOST_TEST_REQUIRE(page["tables"].size() == 2u);
  const json& rows = page["tables"][0]["rows"];
  BOOST_TEST_REQUIRE(rows.size() == 3u);
  BOOST_TEST(rows[0] == json({"rate", "one", "two", "published", "four", "published"}));
  BOOST_TEST(rows[1][3] == "2.000");
  BOOST_TEST(rows[2][3] == "–");
  BOOST_TEST(rows[2][5] == "3.000");
  const double loss = page["rows"][4]["runs"][0]["values"][0];  // rate 0.01, two heads
  BOOST_TEST(rows[2][2] == fmt::format("{:#.4g}", loss));
  BOOST_TEST(page["tables"][1]["rows"][0] == json({"rate", "one", "two", "four"}));
  BOOST_TEST(page["comparison"]["rows"].size() == 4u);
  BOOST_TEST(has(done("study grid.toml --format markdown").text,
                 "loss\n\n| rate | one | two | published | four | published |\n|---|---:|"));
  BOOST_TEST(has(done("study grid.toml --quick").text, "\nloss\nrate "));
}

/// Kills the study at several moments. Each time, the same command continues; the results and the
/// figures are the same as without interruptions.
BOOST_AUTO_TEST_CASE(continues_after_being_killed) {
  std::string longer = tiny;
  longer.replace(longer.find("steps = 40"), 10, under_sanitizers ? "steps = 100" : "steps = 1000");
  write("tiny.toml", longer);
  const Output whole = shell("$TAPEHEAD study tiny.toml --jobs 1 --out whole");
  BOOST_TEST(whole.status == 0, whole.errors);
  for (const char* moment :
       {"rate=0.001,seed=0/checkpoint", "rate=0.001,seed=1/config.toml", "rate=0.01,seed=0/lock"}) {
    const Output cut = shell(
        fmt::format("$TAPEHEAD study tiny.toml --jobs 1 --out parts & pid=$!; while ! ls "
                    "'parts/{}' >/dev/null 2>&1; do sleep 0.01; done; kill -KILL $pid; wait $pid",
                    moment));
    BOOST_TEST(cut.status == 137);
  }
  const Output rest = shell("$TAPEHEAD study tiny.toml --jobs 1 --out parts");
  BOOST_TEST(rest.status == 0, rest.errors);
  BOOST_TEST(results_in("parts") == results_in("whole"));
  for (const char* figure : {"loss.svg", "loss.csv", "loss-by-rate.svg"})
    BOOST_TEST(contents(fmt::format("parts/figures/{}", figure)) ==
               contents(fmt::format("whole/figures/{}", figure)));
  // The pages differ only in the duration.
  const auto page = [](const std::string& folder) {
    json data = data_of(contents(folder + "/report.html"))["study"];
    data.erase("seconds");
    data.erase("duration");
    return data;
  };
  BOOST_TEST(page("parts") == page("whole"));
}

BOOST_AUTO_TEST_CASE(refuses_other_runs_in_its_folder) {
  write("tiny.toml", tiny);
  done("study tiny.toml --quick --seeds 1 --out out");
  expect_refused("study tiny.toml --seeds 1 --out out",
                 "out/rate=0.001,seed=0 was trained with --steps 2, not 40; choose another --out");
  replace_in("out/rate=0.01,seed=0/provenance.jsonl", "\"numerics\":", "\"numerics\":9");
  const Output mixed = command("study tiny.toml --quick --seeds 1 --out out");
  BOOST_TEST(mixed.status == 2);
  BOOST_TEST(has(mixed.errors, "out/rate=0.01,seed=0 was trained with numerics 9"), mixed.errors);
  BOOST_TEST(has(mixed.errors, "so results would mix; choose another --out\n"), mixed.errors);
}

BOOST_AUTO_TEST_CASE(errors_name_the_file_and_line) {
  const auto expect_error = [](const std::string& line, const std::string& error) {
    const Output output = command(line);
    BOOST_TEST(output.status == 1);
    BOOST_TEST(has(output.errors, error), output.errors);
  };
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& error) {
    write_tiny_with(from, to);
    expect_error("study tiny.toml --quick --seeds 1", error);
  };
  refused("steps = 40", "step = 40",
          "tiny.toml:11: copy has no option --step; did you mean --steps?\n");
  refused("task = \"copy\"", "task = \"coppy\"",
          "tiny.toml:5: unknown task 'coppy'; did you mean 'copy'?\n");
  refused("--lr 0.01", "--lr x", "tiny.toml:16: --lr: expected a number, got 'x'\n");
  refused("--lr 0.01", "--out x", "tiny.toml:16: a study sets out itself; remove it\n");
  refused("heads = 1", "momentum = 1",
          "tiny.toml:8: momentum has no effect in any row; remove it\n");
  refused("last val_loss", "last valloss",
          "tiny.toml:18: loss: metrics.jsonl has no 'valloss', but step, loss, lr, grad_norm, "
          "val_loss, exact_match, ");
  refused("curve = \"val_loss\"", "curve = \"valloss\"",
          "tiny.toml:25: Loss: metrics.jsonl has no 'valloss', but step, loss, lr, grad_norm, ");
  refused("last val_loss", "eval: nothing",
          "tiny.toml:18: loss: the output of eval --json has no 'nothing', but step, different, "
          "examples, loss, exact_match, ");
  refused("last val_loss", "evall: loss",
          "tiny.toml:18: loss: unknown command 'evall'; did you mean 'eval'?\n");
  refused("[quick]\nsteps", "[quick]\nstep",
          "tiny.toml:37: step has no effect in any row; remove it\n");
  expect_error("study ablation --out x",
               "ablation: tinyshakespeare.txt isn't in the folder .; get it from https://");
  expect_refused("study grok", "unknown study 'grok'; did you mean 'grokking'?");
  expect_refused("study tiny", "unknown study 'tiny'; did you mean the file tiny.toml?");
  const Output several = command("study --quick --out x");
  BOOST_TEST(several.status == 2);
  BOOST_TEST(has(several.errors, "--out x needs a single study, not "), several.errors);
  const Output unknown = command("study coppying");
  BOOST_TEST(unknown.status == 2);
  BOOST_TEST(
      has(unknown.errors, "unknown study 'coppying'; expected ablation, attention-variants"));
}

/// An error of a command is part of one line: the study's error if the command fails for all runs,
/// otherwise a note.
BOOST_AUTO_TEST_CASE(a_measure_that_fails) {
  write_tiny_with("eval --length 6", "eval --length x");
  const Output all = command("study tiny.toml --quick");
  BOOST_TEST(all.status == 1);
  BOOST_TEST(has(all.errors,
                 "tiny.toml:19: right at 6: eval --length x --examples 50 failed for "
                 "rate=0.001,seed=0: --length must be a whole number, or a factor such as 2x, not "
                 "'x'\n"),
             all.errors);
  BOOST_TEST(all.errors.find("--length must") == all.errors.rfind("--length must"), all.errors);

  write_tiny_with("\"--lr 0.001\"", "\"--lr 0.001 --position learned\"");
  const Output some = command("study tiny.toml --quick --seeds 2 --out some");
  BOOST_TEST(some.status == 0);
  BOOST_TEST(has(some.errors,
                 "tiny.toml:19: right at 6: no value for some runs: eval --length 6 --examples 50 "
                 "failed for rate=0.001,seed=0: --length 6: positions.weight has shape"),
             some.errors);
  BOOST_TEST(some.errors.find("failed") == some.errors.rfind("failed"), some.errors);
}

BOOST_AUTO_TEST_CASE(refuses_equal_rows) {
  write_tiny_with("--lr 0.01\"", "--lr 0.001\"");
  const Output output = command("study tiny.toml --dry-run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors,
                 "tiny.toml:16: '0.01' has the configuration of '0.001'; change an option of one "
                 "of them\n"),
             output.errors);
}

BOOST_AUTO_TEST_CASE(refuses_the_folder_of_a_run) {
  write("tiny.toml", tiny);
  done("train copy --length 4 --steps 1 --out run");
  const Output output = command("study tiny.toml --quick --out run");
  BOOST_TEST(output.status == 2);
  BOOST_TEST(has(output.errors, "is the folder of a run; choose a folder outside it\n"),
             output.errors);
}

/// A tiny version of all studies runs within a minute.
BOOST_AUTO_TEST_CASE(all_in_their_quick_version) {
  std::string text, digits;
  for (int i = 0; i < 200; ++i) text += fmt::format("{} bottles of beer on the wall.\n", i);
  for (int i = 0; i < 100; ++i) {
    for (int pixel = 0; pixel < 64; ++pixel) digits += fmt::format("{},", (i + pixel) % 17);
    digits += fmt::format("{}\n", i % 10);
  }
  write("tinyshakespeare.txt", text);
  write("digits.csv", digits);
  const Output all = done("study --quick --data .");
  const json names = json::parse(done("study --json").text);
  for (const json& one : names) {
    const std::string folder = fmt::format("studies/{}-quick", one["name"].get<std::string>());
    BOOST_TEST(std::filesystem::exists(folder + "/report.html"), folder);
    const json page = data_of(contents(folder + "/report.html"))["study"];
    BOOST_TEST(page["skipped"].empty(), folder);
    BOOST_TEST(page["tables"][0]["rows"].size() > 1u, folder);
    BOOST_TEST(has(done("study").text, one["name"].get<std::string>()));
  }
}

BOOST_AUTO_TEST_CASE(quick_has_ten_steps_by_default) {
  write("tiny.toml", tiny.substr(0, tiny.find("[quick]")));
  done("study tiny.toml --quick");
  const json results = results_in("studies/tiny-quick");
  BOOST_TEST(results["rows"][0]["runs"].size() == 1u);
  BOOST_TEST(results["rows"][0]["runs"][0]["steps"] == 10);
}

BOOST_AUTO_TEST_CASE(quick_skips_rows_without_data) {
  const Output output = done("study --quick ablation");
  BOOST_TEST(has(output.text, "ablation: skipped, because its data is missing"));
}

BOOST_AUTO_TEST_CASE(a_page, *boost::unit_test::precondition(has_browser)) {
  write("tiny.toml", tiny);
  done("study tiny.toml --seeds 1");
  const json seen = visit(contents("studies/tiny/report.html"), R"(
seen.title = document.querySelector('h1').textContent;
seen.answers = all('.answer').map(each => each.textContent);
seen.pictures = all('.picture img').map(each => each.naturalWidth > 0);
seen.rows = all('#results tbody tr').length;
)");
  BOOST_TEST(seen["title"] == "Tiny");
  BOOST_TEST(seen["answers"].size() == 2u);
  BOOST_TEST(seen["pictures"] == json({true, true}));
  BOOST_TEST(seen["rows"] == 2);
}

BOOST_AUTO_TEST_SUITE_END()
