#include "../../train/watch/metrics_csv.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(metrics_csv, InScratch)

BOOST_AUTO_TEST_CASE(a_column_for_each_number_and_text) {
  const std::string run = scratch.file("run");
  std::filesystem::create_directory(run);
  MetricsTable table(run, {R"({"step":1,"loss":2.5,"time":{"seconds":0.5}})"});
  table.append(parse_json(R"({"step":2,"loss":null,"skipped":"a, \"b\""})").value());
  table.append(parse_json(R"({"step":3,"loss":1,"histograms":{"x":{"from":1}}})").value());
  const std::string expected =
      "step,loss,skipped,time/seconds\n"
      "1,2.5,,0.5\n"
      "2,,\"a, \"\"b\"\"\",\n"
      "3,1,,\n";
  BOOST_TEST(contents(run + "/metrics.csv") == expected);
  EXPECT_ERROR(WriteError, MetricsTable(scratch.file("none"), {}),
               scratch.file("none") + "/metrics.csv: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_has_each_step_once) {
  TrainConfig config = small_config();
  config.csv = true;
  Listener first(3), rest;
  run(config, scratch.file("run"), first);
  run(config, scratch.file("run"), rest);
  const std::vector<std::string> rows = lines_of(contents(scratch.file("run/metrics.csv")));
  const auto lines = metrics(scratch.file("run"));
  BOOST_TEST_REQUIRE(rows.size() == lines.size() + 1);
  BOOST_TEST(rows[0].substr(0, 15) == "step,loss,lr,gr");
  for (std::size_t i = 0; i < lines.size(); ++i)
    BOOST_TEST(rows[i + 1].substr(0, rows[i + 1].find(',')) == lines[i]["step"].dump());
}

BOOST_AUTO_TEST_SUITE_END()
