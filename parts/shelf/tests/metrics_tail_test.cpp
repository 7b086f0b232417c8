#include "../metrics_tail.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(metrics_tail, InScratch)

namespace {

std::string line(Index step, bool evaluated, std::size_t padding = 0) {
  return fmt::format(
      "{{\"step\":{},\"loss\":0.5{}{}}}\n", step,
      evaluated ? fmt::format(",\"val_loss\":{}", 0.25 * static_cast<double>(step)) : "",
      padding > 0 ? ",\"more\":\"" + std::string(padding, 'x') + '"' : "");
}

MetricsTail tail_of(const Scratch& scratch, const std::string& text) {
  scratch.write("metrics.jsonl", text);
  return MetricsTail(scratch.file("."));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_short_file) {
  const MetricsTail none = tail_of(scratch, "");
  BOOST_TEST(none.last().is_null());
  BOOST_TEST(none.last_evaluated().is_null());
  BOOST_TEST(none.of_step(1).is_null());
  const MetricsTail cut = tail_of(scratch, "{\"step\":1");
  BOOST_TEST(cut.last().is_null());
  const MetricsTail one = tail_of(scratch, line(3, false) + "{\"step\":4,");
  BOOST_TEST(one.last()["step"].number() == 3);
  BOOST_TEST(one.last_evaluated().is_null());
  BOOST_TEST(one.of_step(3)["step"].number() == 3);
  BOOST_TEST(one.of_step(2).is_null());
  BOOST_TEST(one.of_step(4).is_null());
}

BOOST_AUTO_TEST_CASE(a_long_file_whose_lines_have_any_length) {
  std::string text;
  for (Index step = 1; step <= 3000; ++step)
    text += line(step * 2, step % 1000 == 7, static_cast<std::size_t>(step * step % 997));
  text += line(6100, false, 200000);  // longer than what is read at a time
  const MetricsTail tail = tail_of(scratch, text);
  BOOST_TEST(tail.last()["step"].number() == 6100);
  BOOST_TEST(tail.last_evaluated()["step"].number() == 4014);
  for (Index step = 1; step <= 6101; ++step) {
    const Json found = tail.of_step(step);
    const bool is_there = (step % 2 == 0 && step <= 6000) || step == 6100;
    BOOST_TEST((found.is_null() ? 0 : *found["step"].integer()) == (is_there ? step : 0));
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_line_of_metrics_is_named) {
  for (const char* bad : {"nothing\n", "[1]\n", "{\"step\":1.5}\n", "\n"}) BOOST_TEST_CONTEXT(bad) {
      const MetricsTail tail = tail_of(scratch, line(1, true) + bad);
      BOOST_CHECK_EXCEPTION(tail.last(), FileError, [](const FileError& error) {
        return has(error.what(), "metrics.jsonl: a line isn't a JSON object with an integer");
      });
      BOOST_TEST(tail.last_evaluated()["step"].number() == 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
