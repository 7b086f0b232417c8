#include "../../cli/terminal/profile_text.hpp"
#include "../../train/runs/files.hpp"

#include <nlohmann/json.hpp>

#include "../shared/command.hpp"
#include "../shared/folders.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(profile_text)

namespace {

using Kind = ProfileEvent::Kind;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(small_rows_are_summed_and_long_names_cut) {
  Profile given;
  given.steps = 1;
  given.step_seconds = given.profiled_step = 1;
  given.ops = {{"large", Kind::op, 2, 0.9, 3e6, 9e8},
               {"small", Kind::rule, 3, 0.004, 0, 0},
               {"tiny", Kind::op, 4, 0.001, 1e6, 0}};
  const std::string name = "a_module_of_a_name_that_is_much_too_long";
  given.parts = {{"model", 0, 0.9, 0.9}, {name, 1, 0.5, 0.5}, {"nothing", 1, 0.001, 0.001}};
  const std::string text = to_text(given, Terminal());
  BOOST_TEST(has(text, "profile of step 1: 1000.000 ms by the clock, 1000.000 ms of 1 thread\n"));
  BOOST_TEST(has(text, "large       forward      2   900.000   90.0 %  3.00   1.0\n"), text);
  BOOST_TEST(has(text, "others (2)               7     5.000    0.5 %  1.00\n"), text);
  BOOST_TEST(has(text, "\n  a_module_of_a…is_much_too_long  500.000"), text);
  BOOST_TEST(!has(text, "nothing"));
  BOOST_TEST(!has(text, "after"));
  given.steps = 3, given.threads = 2, given.other_step = 0.5;
  BOOST_TEST(has(to_text(given, Terminal()),
                 "profile of steps 1 to 3, a step: 1000.000 ms by the clock, 2000.000 ms of 2\n"
                 "threads\n\n"));
  BOOST_TEST(
      has(to_text(given, Terminal()),
          "a step took 1000.000 ms while it was profiled, and 500.000 ms after (medians)\n"));
  BOOST_TEST(to_text(Profile(), Terminal()) ==
             "profile: the run ended before the first step to be profiled\n");
}

BOOST_AUTO_TEST_CASE(the_command_prints_it) {
  const Elsewhere elsewhere;
  const std::vector<std::string> train = {"train",   "copy", "--length", "4", "--width", "8",
                                          "--heads", "2",    "--layers", "1", "--out",   "run"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), train.begin(), train.end());
    return command(words);
  };
  // On one thread: waiting for another could leave all else too little to be listed.
  const Output output = with({"--steps", "30", "--profile", "--threads", "1"});
  BOOST_TEST(output.status == 0);
  BOOST_TEST(output.errors == "");
  for (const char* row : {"profile of steps 6 to 10, a step: ", "\nop  ", "\nlinear  ", "\nall  ",
                          "\nmodule  ", "\nmodel  ", "\n  blocks.0  ", "\n    attention  ",
                          "\nmemory: ", "\na step took ", "\ntrace: run/trace.json · "})
    BOOST_TEST(has(output.text, row), row << " in " << output.text);
  std::istringstream lines(output.text);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(display_width(line) <= 80, line);
  const auto trace = nlohmann::json::parse(read_file("run/trace.json"));
  BOOST_TEST(trace["traceEvents"].size() > 100u);

  // One step that is left of a run, and none.
  std::filesystem::remove_all("run");
  BOOST_TEST(with({"--steps", "1", "--profile"}).status == 0);
  BOOST_TEST(std::filesystem::exists("run/trace.json"));
  const Output none = command({"train", "--resume", "run", "--profile"});
  BOOST_TEST(none.status == 0);
  BOOST_TEST(has(none.text, "profile: the run ended before the first step to be profiled\n"));

  std::filesystem::remove_all("run");
  const Output refused = with({"--dry-run", "--profile"});
  BOOST_TEST(refused.status == 2);
  BOOST_TEST(refused.errors ==
             "tapehead: --dry-run writes nothing, and --profile a trace; leave out one of them\n");
}

BOOST_AUTO_TEST_SUITE_END()
