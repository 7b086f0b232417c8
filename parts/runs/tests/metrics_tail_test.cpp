#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../run.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(metrics_tail, InScratch)

namespace {

std::string line(Index step, bool evaluated, std::size_t padding = 0) {
  return fmt::format(
      "{{\"step\":{},\"loss\":0.5{}{}}}\n", step,
      evaluated ? fmt::format(",\"val_loss\":{}", 0.25 * static_cast<double>(step)) : "",
      padding > 0 ? ",\"more\":\"" + std::string(padding, 'x') + '"' : "");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_short_file) {
  const std::string run = scratch.file(".");
  for (const char* none : {"", "{\"step\":1"}) {
    scratch.write("metrics.jsonl", none);
    BOOST_TEST(last_line(run).is_null());
    BOOST_TEST(last_evaluated_line(run).is_null());
    BOOST_TEST(evaluated_line(run, 1).is_null());
  }
  scratch.write("metrics.jsonl", line(3, true) + line(4, false) + "{\"step\":5,");
  BOOST_TEST(last_line(run)["step"].number() == 4);
  BOOST_TEST(last_evaluated_line(run)["step"].number() == 3);
  BOOST_TEST(evaluated_line(run, 3)["step"].number() == 3);
  for (const Index step : {2, 4, 5}) BOOST_TEST(evaluated_line(run, step).is_null());
}

BOOST_AUTO_TEST_CASE(a_long_file_whose_lines_have_any_length) {
  std::string text;
  for (Index step = 1; step <= 3000; ++step)
    text += line(step * 2, step % 1000 == 7, static_cast<std::size_t>(step * step % 997));
  text += line(6100, false, 200000);  // longer than the first block read
  scratch.write("metrics.jsonl", text);
  const std::string run = scratch.file(".");
  BOOST_TEST(last_line(run)["step"].number() == 6100);
  BOOST_TEST(last_evaluated_line(run)["step"].number() == 4014);
  for (const Index step : {14, 2014, 4014}) {
    BOOST_TEST(evaluated_line(run, step)["step"].number() == static_cast<double>(step));
    BOOST_TEST(evaluated_line(run, step - 1).is_null());
    BOOST_TEST(evaluated_line(run, step + 2).is_null());
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_line_of_metrics_is_named) {
  for (const char* bad : {"nothing\n", "[1]\n", "{\"step\":1.5}\n", "\n"}) BOOST_TEST_CONTEXT(bad) {
      scratch.write("metrics.jsonl", line(1, true) + bad);
      const std::string run = scratch.file(".");
      BOOST_CHECK_EXCEPTION(last_line(run), FileError, [](const FileError& error) {
        return has(error.what(), "metrics.jsonl: a line isn't a JSON object with an integer");
      });
      BOOST_TEST(last_evaluated_line(run)["step"].number() == 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
