#include "../../cli/terminal/profile_text.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(profile_text)

BOOST_AUTO_TEST_CASE(small_rows_are_summed_and_long_names_cut) {
  using Kind = ProfileEvent::Kind;
  Profile given;
  given.steps = 1;
  given.step_seconds = 1;
  given.ops = {{"large", Kind::op, 2, 0.9, 3e6, 9e8},
               {"small", Kind::backward, 3, 0.004, 0, 0},
               {"tiny", Kind::op, 4, 0.001, 1e6, 0}};
  const std::string name = "a_module_of_a_name_that_is_much_too_long";
  given.parts = {{"model", 0, 0.9, 0.9}, {name, 1, 0.5, 0.5}, {"nothing", 1, 0.001, 0.001}};
  const std::string text = to_text(given, Terminal());
  BOOST_TEST(
      missing(text, {"profile of step 1: 1000.000 ms of wall time, 1000.000 ms of 1 thread\n",
                     "large       forward      2   900.000   90.0 %  3.00   1.0\n",
                     "others (2)               7     5.000    0.5 %  1.00\n",
                     "\n  a_module_of_a…is_much_too_long  500.000"}) == "");
  BOOST_TEST(!has(text, "nothing"));
  BOOST_TEST(!has(text, "after"));
  given.steps = 3, given.step = 1, given.threads = 2, given.other_step = 0.5;
  BOOST_TEST(
      has(to_text(given, Terminal()),
          "step 2, the median of 1 to 3: 1000.000 ms of wall time, 2000.000 ms of 2 threads\n\n"));
  BOOST_TEST(has(to_text(given, Terminal()),
                 "median step time: 1000.000 ms with the profiler, 500.000 ms without\n"));
  BOOST_TEST(to_text(Profile(), Terminal()) ==
             "profile: the run ended before the first step to be profiled\n");
}

BOOST_AUTO_TEST_CASE(command_prints_the_profile) {
  const Elsewhere elsewhere;
  const std::string train = "train copy --length 4 --width 8 --heads 2 --layers 1 --out run";
  // On one thread, because time spent waiting for other threads could hide all other rows.
  const Output output = done(train + " --steps 30 --profile --threads 1");
  BOOST_TEST(output.errors == "");
  BOOST_TEST(missing(output.text,
                     {", the median of 6 to 10: ", "\nop  ", "\nlinear  ", "\nall  ", "\nmodule  ",
                      "\nmodel  ", "\n  blocks.0  ", "\n    attention  ",
                      "\nmemory: ", "\nmedian step time: ", "\ntrace: run/trace.json · "}) == "");
  expect_plain(output.text);
  const json trace = parsed(contents("run/trace.json"));
  BOOST_TEST(trace["traceEvents"].size() > 100u);

  // A run with one step left, and one with none.
  std::filesystem::remove_all("run");
  done(train + " --steps 1 --profile");
  BOOST_TEST(std::filesystem::exists("run/trace.json"));
  const Output none = done("train --resume run --profile");
  BOOST_TEST(has(none.text, "profile: the run ended before the first step to be profiled\n"));

  std::filesystem::remove_all("run");
  expect_refused(
      train + " --dry-run --profile",
      "--dry-run and --profile can't be combined, since a dry run writes no trace; remove one");
}

BOOST_AUTO_TEST_SUITE_END()
