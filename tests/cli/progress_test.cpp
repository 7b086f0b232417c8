#include "../../cli/terminal/progress.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../parts/parts.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <set>
#include <thread>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(progress, Elsewhere)

namespace {

/// Returns the output of a shell command on a terminal of this many columns and rows.
std::string on_terminal(const std::string& line, unsigned short columns, unsigned short rows = 24) {
  winsize size{};
  size.ws_row = rows;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  BOOST_TEST_REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("TAPEHEAD", built_command, 1);
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string text;
  char part[4096];
  // fails when the command ends
  for (ssize_t got; (got = ::read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// Returns whether pseudo-terminals are available. Some containers have none.
boost::test_tools::assertion_result has_terminals(boost::unit_test::test_unit_id) {
  int terminal = -1, other = -1;
  const bool opened = ::openpty(&terminal, &other, nullptr, nullptr, nullptr) == 0;
  ::close(terminal), ::close(other);
  boost::test_tools::assertion_result result(opened);
  if (!opened) result.message() << "this system has no pseudo-terminals";
  return result;
}

/// Returns the last drawn content of the screen, without the hints that follow.
std::string last_drawing(const std::string& text) {
  const std::size_t end = text.find("\r\n\x1b[1mdone"), plain = text.find("\r\ndone");
  const std::string drawn = text.substr(0, std::min(end, plain));
  return drawn.substr(drawn.rfind("\x1b[J") + 3);
}

/// Returns the output of a Progress for a run of ten steps on a live terminal, or on one that isn't
/// live.
template <class Use>
Output printed(bool live, Use use, Shown shown = {}) {
  static const Registry registry = make_registry();
  TrainConfig config = registry.find_task("copy").recipe;
  config.task_options = {{"length", "4"}, {"symbols", "4"}};
  config.model.width = 8, config.steps = 10;
  const auto task = make_task(config, registry);
  const auto model = make_model(config, *task, registry);
  Terminal terminal;
  terminal.live = live;
  const Scratch scratch;
  {
    const Redirection out(stdout, scratch.file("out")), err(stderr, scratch.file("err"));
    Progress progress(terminal, *task, std::move(shown));
    progress.began(config, *model, 0);
    use(progress);
  }
  return {0, contents(scratch.file("out")), contents(scratch.file("err"))};
}

const std::string train =
    "$TAPEHEAD train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 "
    "--steps 40 --eval-every 20";

}  // namespace

BOOST_AUTO_TEST_CASE(sparklines) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(sparkline({}) == "");
  BOOST_TEST(sparkline({3}) == "▁");
  BOOST_TEST(sparkline({7, 6, 5, 4, 3, 2, 1, 0}) == "█▇▆▅▄▃▂▁");
  BOOST_TEST(sparkline({2, 2}) == "▁▁");
  BOOST_TEST(sparkline({nan, 1, 2, nan}) == "?▁█?");
}

BOOST_AUTO_TEST_CASE(terminal_shows_a_bar_and_answers,
                     *boost::unit_test::precondition(has_terminals)) {
  const std::string text = on_terminal(train, 80);
  BOOST_TEST(has(text, "100% \x1b[32m━"));
  BOOST_TEST(has(text, "\x1b[6A"));  // redrawn in place
  BOOST_TEST(has(text, "done\x1b[0m in "));
  const std::string last = last_drawing(text);
  BOOST_TEST(missing(last, {"40/40  loss ", "  exact match ", " left"}) == "");
  BOOST_TEST(count(last, "\n  in   ") == 3u);
  BOOST_TEST(count(last, "\n  out  ") == 3u);
  // The examples differ, and after so few steps one of them is wrong.
  std::set<std::string> questions;
  for (std::size_t at = 0; (at = last.find("  in   ", at)) != std::string::npos; ++at)
    questions.insert(last.substr(at, last.find('\r', at) - at));
  BOOST_TEST(questions.size() == 3u);
  BOOST_TEST(has(last, "\x1b[31m✗"));
}

BOOST_AUTO_TEST_CASE(drawing_fits_the_terminal_size,
                     *boost::unit_test::precondition(has_terminals)) {
  const std::string narrow = last_drawing(on_terminal(train, 40));
  BOOST_TEST(has(narrow, "40/40  loss "));
  BOOST_TEST(!has(narrow, "exact match "));
  const std::string wide = last_drawing(on_terminal("NO_COLOR=1 " + train, 150));
  BOOST_TEST(missing(wide, {"loss ", "exact match ", "lr ", "grad ", " tok/s", " left"}) == "");
  BOOST_TEST(count(wide, "━") == 30u);
  // On five rows the drawing is shorter, so that all of it can be redrawn.
  const std::string low = on_terminal("NO_COLOR=1 " + train, 80, 5);
  BOOST_TEST(has(low, "\x1b[4A"));
  BOOST_TEST(count(last_drawing(low), "\n") == 4u);
}

BOOST_AUTO_TEST_CASE(text_task_shows_no_answers, *boost::unit_test::precondition(has_terminals)) {
  std::ofstream("rose") << "a rose is a rose is a rose is a rose is a rose";
  const std::string text = on_terminal(
      "$TAPEHEAD train text --data rose --context 8 --layers 1 --heads 2 --width 8 --batch 8 "
      "--steps 20 --eval-every 10",
      80);
  BOOST_TEST(has(last_drawing(text), "  validation "));
  BOOST_TEST(!has(text, "  in   "));
  BOOST_TEST(has(last_drawing(text), "\r\n  sample   rose"));
  BOOST_TEST(count(last_drawing(text), "\n") == 1u);
}

BOOST_AUTO_TEST_CASE(samples_do_not_change_the_result) {
  std::ofstream("rose") << "a rose is a rose is a rose is a rose is a rose";
  const std::string options =
      "--data rose --context 8 --layers 1 --heads 2 --width 8 --dropout 0.1 --steps 10 "
      "--eval-every 5 --out ";
  const std::string text = done("train text --lr 0.001 " + options + "one").text;
  BOOST_TEST(count(text, "\n  sample   rose") == 2u);
  BOOST_TEST(!has(done("sweep text --grid lr=0.001 " + options + "all").text, "sample"));
  BOOST_TEST(contents("one/model.safetensors") ==
             contents("all/lr=0.001,seed=0/model.safetensors"));
}

BOOST_AUTO_TEST_CASE(prompts_replace_samples) {
  std::ofstream("rose") << "a rose is a rose is a rose is a rose is a rose";
  const std::string size =
      " --layers 1 --heads 2 --width 8 --steps 10 --eval-every 5 --warmup 5 --out ";
  const std::string text = "train text --data rose --context 8" + size;
  const Output shown = done(text + "one --prompt 'is a' --prompt ro");
  BOOST_TEST(count(shown.text, "\n  sample  is a") == 2u);
  BOOST_TEST(count(shown.text, "\n  sample  ro") == 2u);
  BOOST_TEST(!has(shown.text, "sample   rose"));
  done(text + "two");
  BOOST_TEST(contents("one/model.safetensors") == contents("two/model.safetensors"));
  const Output again = done("train --resume one --prompt so --steps 15 --change steps");
  BOOST_TEST(count(again.text, "\n  sample  so") == 1u);
  const Output unknown = command(text + "three --prompt x");
  BOOST_TEST(unknown.errors ==
             "tapehead: text: 'x' (U+0078) is not one of the model's 7 characters\n");
  BOOST_TEST(!std::filesystem::exists("three"));

  const std::string copy = "train copy --length 4 --symbols 4" + size;
  BOOST_TEST(count(done(copy + "four --prompt 0123").text, "\n  in   0 1 2 3\n  out  ") == 2u);
  BOOST_TEST(command(copy + "five --prompt 012").status == 2);
  BOOST_TEST(!std::filesystem::exists("five"));
}

BOOST_AUTO_TEST_CASE(hint_appears_once_after_a_delay) {
  const auto use = [](Progress& progress) {
    StepResult step;
    step.loss = 1.5, step.norm = 2, step.tokens = 8;
    for (Index number = 8; number <= 10; ++number) progress.stepped(number, 1e-3, step);
  };
  Shown shown;
  shown.hint = "watch it";
  BOOST_TEST(count(printed(true, use, shown).text, "watch it") == 0u);
  shown.hint_after = 0;
  BOOST_TEST(count(printed(true, use, shown).text, "watch it\n") == 1u);
  BOOST_TEST(count(printed(false, use, shown).text, "watch it") == 0u);
}

BOOST_AUTO_TEST_CASE(sweep_shows_no_answers, *boost::unit_test::precondition(has_terminals)) {
  const std::string text = on_terminal(
      "$TAPEHEAD sweep copy --jobs 1 --grid lr=1e-3,1e-2 --length 4 --symbols 4 --width 8 "
      "--steps 10",
      80);
  BOOST_TEST(count(text, "10/10  loss ") >= 2u);
  BOOST_TEST(!has(text, "  in   "));
  BOOST_TEST(has(text, "2 of 2: lr=1e-2,seed=0"));
}

BOOST_AUTO_TEST_CASE(notices_are_printed_above_the_drawing) {
  const auto use = [](Progress& progress) {
    StepResult step;
    step.loss = 1.5, step.norm = 2, step.tokens = 8;
    progress.stepped(10, 1e-3, step);
    progress.noticed(10, "gradient norm 70; recently it was 1 to 3");
    progress.stepped(10, 1e-3, step);
  };
  const Output live = printed(true, use);
  BOOST_TEST(has(live.text, "\r\x1b[Jstep 10: gradient norm 70; recently it was 1 to 3\n\r"));
  BOOST_TEST(count(live.text, "gradient norm 70") == 1u);
  BOOST_TEST(has(live.text.substr(live.text.rfind("\x1b[J")), "10/10  loss 1.5000"));
  BOOST_TEST(live.errors == "");

  const Output plain = printed(false, use);
  BOOST_TEST(plain.errors == "step 10: gradient norm 70; recently it was 1 to 3\n");
  BOOST_TEST(!has(plain.text, "gradient norm 70"));
}

BOOST_AUTO_TEST_CASE(evaluations_are_shown_and_included_in_the_time_left) {
  const auto after = [](const std::function<void(Progress&)>& use) {
    const Output output = printed(true, [&](Progress& progress) {
      StepResult step;
      step.loss = 1.5, step.norm = 2, step.tokens = 8;
      std::this_thread::sleep_for(std::chrono::milliseconds(110));
      progress.stepped(10, 1e-3, step);
      use(progress);
    });
    return output.text.substr(output.text.rfind("\x1b[J"));
  };
  // 1,000 examples of 7 tokens take as long as 7,000 / 8 / 3 of these steps, at least 11 ms each.
  BOOST_TEST(!has(after([](Progress&) {}), "0:00 left"));
  const std::string drawn = after([](Progress& progress) {
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    progress.evaluating(10, 0.01);
  });
  BOOST_TEST(has(drawn, "evaluating 1 %"), drawn);
  BOOST_TEST(!has(drawn, "0:00 left"), drawn);
}

BOOST_AUTO_TEST_CASE(without_a_live_terminal_a_table_is_printed) {
  const Output output = printed(false, [](Progress& progress) {
    StepResult step;
    step.norm = 0.5, step.tokens = 8;
    for (Index number = 1; number <= 10; ++number) {
      step.loss = 2.0 / static_cast<double>(number);
      progress.stepped(number, 1e-3, step);
    }
    Evaluation evaluation;
    evaluation.loss = 0.25, evaluation.exact_match = 0.5;
    progress.evaluated(10, evaluation);
  });
  const auto lines = lines_of(output.text);
  BOOST_TEST_REQUIRE(lines.size() == 11u);
  BOOST_TEST(lines[0] ==
             "   step      loss  val loss  exact match       lr  grad norm   tok/s     left");
  const std::string first = "      1    2.0000                         1.0e-03      0.500  ";
  const std::string last = "     10    0.2000    0.2500      50.00 %  1.0e-03      0.500  ";
  BOOST_TEST(lines[1].rfind(first, 0) == 0u);
  BOOST_TEST(lines[10].rfind(last, 0) == 0u);
  for (const std::string& line : lines) BOOST_TEST(line.size() <= 80u, line);
}

BOOST_AUTO_TEST_CASE(no_line_is_wider_than_the_terminal,
                     *boost::unit_test::precondition(has_terminals)) {
  for (unsigned short columns : {20, 40, 60, 80, 100, 200}) {
    const Elsewhere elsewhere;
    std::istringstream lines(on_terminal(train, columns));
    // The hints after the end are commands to copy, so they aren't cut.
    for (std::string line; std::getline(lines, line) && !has(line, "done\x1b[0m in ");) {
      std::istringstream drawings(line);
      for (std::string drawing; std::getline(drawings, drawing, '\r');)
        BOOST_TEST(display_width(drawing) <= columns, drawing);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_color_disables_colour, *boost::unit_test::precondition(has_terminals)) {
  const std::string text = on_terminal("NO_COLOR=1 " + train, 80);
  BOOST_TEST(has(text, "100% ━"));
  BOOST_TEST(!has(text, "m━"));
  // Without colour, wrong tokens have a mark below.
  BOOST_TEST(has(last_drawing(text), "✗\r\n       "));
  BOOST_TEST(has(last_drawing(text), "^"));
}

BOOST_AUTO_TEST_CASE(dumb_terminal_gets_no_drawing,
                     *boost::unit_test::precondition(has_terminals)) {
  const std::string text = on_terminal("TERM=dumb " + train, 80);
  BOOST_TEST(!has(text, "\x1b"));
  BOOST_TEST(has(text, "exact match"));
  BOOST_TEST(!has(text, "  in   "));
}

BOOST_AUTO_TEST_SUITE_END()
