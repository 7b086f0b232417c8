// The files of studies.
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "../study.hpp"

#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(study_file, InScratch)

namespace {

const std::string smallest = "title = \"T\"\n[measure]\nloss = \"last val_loss\"\n";

void expect_refused_file(const std::string& text, const std::string& error) {
  BOOST_TEST_CONTEXT(text) EXPECT_ERROR(FileError, parse_study(text, "my.toml"), error);
}

}  // namespace

BOOST_AUTO_TEST_CASE(included_ones_are_valid) {
  const std::vector<Study> studies = included_studies();
  BOOST_TEST(studies.size() >= 9u);
  for (const Study& study : studies) {
    BOOST_TEST(!study.question.empty(), study.name);
    BOOST_TEST(!study.answers.empty(), study.name);
    BOOST_TEST(!study.quick.empty(), study.name);
  }
}

BOOST_AUTO_TEST_CASE(tables_and_long_strings) {
  const std::vector<Section> sections = read_sections(
      "a = 1\nlong = \"\"\"one\n  \"two\"\n  three\"\"\"  # comment\n\n[axis.\"x ] y\"] # comment\n"
      "\"k # 1\" = \"v\"\n\n[quick]\nsteps = 3\n",
      "my.toml");
  BOOST_TEST_REQUIRE(sections.size() == 3u);
  BOOST_TEST(sections[0].lines[1].value == "one \"two\" three");
  BOOST_TEST(sections[1].name == "axis");
  BOOST_TEST(sections[1].argument == "x ] y");
  BOOST_TEST(sections[1].lines[0].name == "k # 1");
  BOOST_TEST(sections[1].lines[0].place == "my.toml:7");
  BOOST_TEST(sections[2].lines[0].place == "my.toml:10");
}

BOOST_AUTO_TEST_CASE(rows_are_combinations) {
  const Study study = parse_study(
      smallest + "[axis.a]\nx = \"--lr 1\"\ny = \"\"\n[axis.b]\n1 = \"--heads 2\"\n2 = \"\"\n",
      "t");
  const std::vector<StudyRow> rows = rows_of(study);
  BOOST_TEST_REQUIRE(rows.size() == 4u);
  BOOST_TEST(rows[0].name == "x · 1");
  BOOST_TEST(rows[3].name == "y · 2");
  BOOST_TEST(rows[0].settings.size() == 2u);
  BOOST_TEST(is_row(rows[0], "* · 1"));
  BOOST_TEST(!is_row(rows[1], "* · 1"));
}

BOOST_AUTO_TEST_CASE(errors_name_the_line) {
  expect_refused_file("title = \"T\"\n",
                      "my.toml: expected a table [measure] with lines such as "
                      "loss = \"last val_loss\"");
  expect_refused_file(smallest + "[axes]\n",
                      "my.toml:4: unknown table [axes]; expected [train], [preset.NAME], "
                      "[axis.NAME], [measure], [published.MEASURE], [figure.TITLE], "
                      "[answer.SENTENCE], [quick] or [data]");
  expect_refused_file("name = \"T\"\n" + smallest,
                      "my.toml:1: unknown name 'name'; expected title, question, source, setup, "
                      "limitations, seeds or columns");
  expect_refused_file("seed = 3\n" + smallest,
                      "my.toml:1: unknown name 'seed'; did you mean 'seeds'?");
  expect_refused_file("seeds = 0\n" + smallest,
                      "my.toml:1: seeds must be a whole number from 1 on, not 0");
  expect_refused_file("columns = \"width\"\n" + smallest,
                      "my.toml:1: unknown axis 'width'; the study has none");
  expect_refused_file("title = \"\"\"T\n", "my.toml:1: a string without its closing \"\"\"");
  expect_refused_file(smallest + "[measure]\n", "my.toml:4: [measure] is already at my.toml:2");
  expect_refused_file(smallest + "[axis x]\n[axis\n",
                      "my.toml:5: expected [name] or [name.\"argument\"], got [axis");
  expect_refused_file(smallest + "[axis.x]\na = \"heads 2\"\n",
                      "my.toml:5: settings: expected '--name value', got 'heads 2'");
  expect_refused_file(
      "title = \"T\"\n[measure]\nloss = \"val_loss\"\n",
      "my.toml:3: loss = \"val_loss\": expected such as \"last val_loss\", \"first step with "
      "exact_match >= 0.99\", \"mean loss from 20 % to 80 %\" or \"eval --length 8: "
      "at_length.exact_match\"");
  expect_refused_file(smallest + "[published.loss]\nsource = \"S\"\nall = \"2\"\n",
                      "my.toml:6: expected a value and its tolerance, such as \"20 +- 2\" or \"20 "
                      "+- 10 %\"");
  expect_refused_file(smallest + "[published.loss]\nall = \"2 +- 1\"\n",
                      "my.toml:4: published values need a line source = \"...\"");
  expect_refused_file(smallest + "[answer.\"A.\"]\n\"all: los\" = \"< 1\"\n",
                      "my.toml:5: unknown measure 'los'; did you mean 'loss'?");
  expect_refused_file(smallest + "[answer.\"A.\"]\n\"al: loss\" = \"< 1\"\n",
                      "my.toml:5: no row 'al'; did you mean 'all'?");
  expect_refused_file(smallest + "[answer.\"A.\"]\n\"all: loss\" = \"1\"\n",
                      "my.toml:5: expected a comparison, such as \">= 99\" or \"< ROW: MEASURE - "
                      "0.01\"");
  expect_refused_file(
      smallest + "[answer.\"A.\"]\n",
      "my.toml:4: an answer needs conditions, such as \"ROW: MEASURE\" = \">= 99\"");
  expect_refused_file(smallest + "[figure.F]\nx = \"step\"\n",
                      "my.toml:4: a figure needs either curve = \"METRIC\" or against = \"AXIS\"");
  expect_refused_file(smallest + "[figure.F]\nmeasure = \"loss\"\nagainst = \"width\"\n",
                      "my.toml:4: unknown axis 'width'; expected measures");
  const std::string axes = "[axis.rate]\n1 = \"--lr 1\"\n[axis.heads]\n1 = \"--heads 1\"\n";
  expect_refused_file(smallest + axes + "[figure.F]\nmeasure = \"loss\"\nagainst = \"width\"\n",
                      "my.toml:8: unknown axis 'width'; expected rate, heads or measures");
  expect_refused_file(smallest + axes + "[figure.F]\nagainst = \"rate\"\n",
                      "my.toml:8: a figure against an axis needs a line measure = \"MEASURE\"");
  expect_refused_file(smallest + "[figure.F]\nlog = true\n",
                      "my.toml:5: unknown name 'log'; expected curve, measure, against, rows, x, "
                      "log-x or log-y");
}

BOOST_AUTO_TEST_CASE(limits_the_number_of_rows) {
  std::string text = smallest;
  for (const char* axis : {"a", "b", "c", "d", "e"}) {
    text += fmt::format("[axis.{}]\n", axis);
    for (int i = 0; i < 10; ++i) text += fmt::format("{} = \"--lr {}\"\n", i, i);
  }
  expect_refused_file(text, "my.toml: the axes have more than 10,000 combinations");
}

BOOST_AUTO_TEST_CASE(published_values_and_conditions) {
  const Study study = parse_study(
      smallest +
          "[published.loss]\nsource = \"S\"\nall = \"-20 +- 10 %\"\n[answer.\"A.\"]\n\"every "
          "all: loss\" = \"<= all: loss - 0.5\"\n",
      "t");
  BOOST_TEST(study.published[0].values[0].value == -20);
  BOOST_TEST(study.published[0].values[0].tolerance == 2);
  const StudyAnswer::Condition& condition = study.answers[0].conditions[0];
  BOOST_TEST(condition.every);
  BOOST_TEST(condition.op == "<=");
  BOOST_TEST(condition.other_measure == "loss");
  BOOST_TEST(condition.bound == -0.5);
}

BOOST_AUTO_TEST_CASE(numbers_at_paths) {
  const Json line =
      parse_json(R"({"a": {"b.c": {"x": [1, 2, {"y": 4}]}, "d": 7}, "n": null})").value();
  BOOST_TEST(value_at(line, "a.d") == 7);
  BOOST_TEST(value_at(line, "a.*.x.1") == 2);
  BOOST_TEST(value_at(line, "a.*.x.*") == 1.5);
  BOOST_TEST(value_at(line, "a.*.x.2.y") == 4);
  for (const char* missing : {"b", "n", "a", "a.*.x.3", "a.d.e"})
    BOOST_TEST(std::isnan(value_at(line, missing)), missing);
}

BOOST_AUTO_TEST_CASE(measures_of_a_run) {
  std::vector<Json> lines;
  const double losses[] = {4, 3, 1, 2, 5};
  for (int i = 0; i < 5; ++i) lines.push_back(Json{{"step", 10 * (i + 1)}, {"loss", losses[i]}});
  const auto value = [&](const std::string& text) {
    return measured(parse_measure("m", text, "t:1"), lines, 50);
  };
  BOOST_TEST(value("last loss") == 5);
  BOOST_TEST(value("lowest loss") == 1);
  BOOST_TEST(value("highest loss, percent, highest seed") == 5);
  BOOST_TEST(value("mean loss") == 3);
  BOOST_TEST(value("mean loss from 30 % to 80 %") == 2);
  BOOST_TEST(value("median loss from 0 % to 60 %") == 3);
  BOOST_TEST(value("first step with loss <= 3") == 20);
  BOOST_TEST(std::isinf(value("first step with loss < 1")));
  BOOST_TEST(std::isnan(value("last val_loss")));
}

BOOST_AUTO_TEST_SUITE_END()
