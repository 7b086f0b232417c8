// Standard output and standard error that can't be written, and similar refusals of the system.
#include "../../cli/terminal/terminal.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(output, Elsewhere)

namespace {

const std::string tiny =
    "$TAPEHEAD train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 "
    "--steps 12 --eval-every 4 ";

void expect_status(const std::string& line, int status) {
  const Output output = shell(line);
  BOOST_TEST(output.status == status, line << '\n' << output.text << output.errors);
}

}  // namespace

BOOST_AUTO_TEST_CASE(training_continues_without_its_output) {
  expect_status(tiny + "--out run", 0);
  const std::string weights = contents("run/model.safetensors");
  int number = 0;
  for (const std::string lost :
       {">/dev/full", ">/dev/full 2>/dev/full", ">&-", ">&- 2>&-", "| true", "2>&1 | true"}) {
    const std::string out = fmt::format("run-{}", ++number);
    shell(fmt::format("( {} --out {}; echo $? >status ) {}", tiny, out, lost));
    BOOST_TEST(contents("status") == "0\n", lost);
    BOOST_TEST((contents(out + "/model.safetensors") == weights), lost);
  }
}

BOOST_AUTO_TEST_CASE(lost_notice_does_not_end_the_run) {
  expect_status(tiny + "--out run", 0);
  std::filesystem::resize_file("run/step-12/model.safetensors", 100);
  for (const std::string lost : {"2>/dev/full", "2>&-"})
    expect_status("$TAPEHEAD sample run " + lost, 0);
  const Output kept = shell("$TAPEHEAD sample run");
  BOOST_TEST(has(kept.errors, "damaged"));
  expect_status("$TAPEHEAD train --resume run 2>/dev/full", 0);
}

BOOST_AUTO_TEST_CASE(lost_error_message_keeps_its_exit_status) {
  for (const std::string lost : {"2>/dev/full", "2>&-"}) {
    expect_status("$TAPEHEAD eval nosuch " + lost, 1);
    expect_status("$TAPEHEAD nosuch " + lost, 2);
  }
}

BOOST_AUTO_TEST_CASE(commands_that_only_print_fail_with_the_reason) {
  expect_status(tiny + "--out run", 0);
  for (const std::string command :
       {"ops", "--help", "eval run", "sample run", "sample run --prompt 0123", "attention run",
        "attention run --format npy", "tasks --json", "train copy --dry-run --steps 2"}) {
    expect_refused(shell("$TAPEHEAD " + command + " >/dev/full"),
                   "standard output: No space left on device", 1);
    expect_refused(shell("$TAPEHEAD " + command + " >&-"), "standard output: Bad file descriptor",
                   1);
  }
}

BOOST_AUTO_TEST_CASE(no_file_replaces_standard_output) {
  expect_status(tiny + "--out run <&- >&- 2>&-", 0);
  BOOST_TEST(contents("run/lock") == "");
  expect_status("$TAPEHEAD eval run >&- 2>&-", 1);
  BOOST_TEST(contents("run/lock") == "");
}

BOOST_AUTO_TEST_CASE(file_size_limit_is_a_write_error) {
  const Output output = shell("ulimit -f 1; exec " + tiny + "--width 64 --out run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors, "File too large"), output.errors);
  BOOST_TEST(lines_of(output.errors).size() == 1u);
}

BOOST_AUTO_TEST_CASE(paths_cannot_control_the_terminal) {
  const std::string name = "a\x1b[31m\n\xff";
  const Output output = command({"train", "copy", "--length", "4", "--symbols", "4", "--layers",
                                 "1", "--width", "8", "--steps", "2", "--out", name});
  BOOST_TEST_REQUIRE(output.status == 0);
  BOOST_TEST(has(output.text, "a␛[31m↵�\n"));
  for (const Words& words : {Words{"eval", name}, {"digest", name}, {"eval", "no" + name}}) {
    const Output shown = command(words);
    BOOST_TEST(has(shown.text + shown.errors, "a␛[31m↵�"));
    BOOST_TEST(!has(shown.text + shown.errors, "\x1b"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
