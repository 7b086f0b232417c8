// Tests the exercises as a student uses them: the list, an exercise in a folder, and its check,
// which builds it with CMake.
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(learn, Elsewhere)

namespace {

/// Returns the solution of the first exercise.
std::string solution() {
  return contents(std::string(source_dir) +
                  "/parts/learn/tests/answers/01-chain-rule/solution.cpp");
}
void hand_in(const std::string& text) { std::ofstream("work/exercise.cpp") << text; }

}  // namespace

BOOST_AUTO_TEST_CASE(list_says_how_to_start) {
  const Output output = done("learn");
  expect_plain(output.text);
  BOOST_TEST(has(output.text, "\n   1  chain-rule     The chain rule, by hand\n"));
  BOOST_TEST(has(output.text, "\n  14  induction  "));
  BOOST_TEST(has(output.text, "Start with tapehead learn 1"));
}

BOOST_AUTO_TEST_CASE(shows_an_exercise_by_number_or_name) {
  const Output output = done("learn 5");
  expect_plain(output.text);
  BOOST_TEST(has(output.text, "# 5. ReLU and kinks\n"));
  BOOST_TEST(has(output.text,
                 "\nTo work on it: tapehead learn 5 --into relu\n"
                 "To check only its numbers by hand: tapehead learn 5 dx0=... dx1=... dx2=...\n"));
  BOOST_TEST(output.text == done("learn relu").text);
  BOOST_TEST(output.text != done("learn 5 --student 17").text);
  for (int number = 1; number <= 15; ++number)
    expect_plain(done(fmt::format("learn {}", number)).text);
  expect_refused("learn 0", "there is no exercise 0; expected 1 to 15");
  expect_refused("learn rleu", "unknown exercise 'rleu'; did you mean 'relu'?");
  expect_refused("learn 5 6", "learn 5: expected NAME=NUMBER, as in dx0=0.25, got '6'");
  expect_refused("learn fault 6", "learn fault: unexpected argument '6'");
  expect_refused("learn grade", "learn grade: expected files or folders that were handed in");
  expect_refused("learn check", "learn check: expected one folder");
  for (const auto& [line, option] :
       {std::pair("learn 5 --csv x", "--csv works only with learn grade"),
        {"learn fault --hint",
         "--hint works only with learn EXERCISE, learn check, learn rule or learn puzzle"},
        {"learn --seed 1", "--seed works only with learn fault"},
        {"learn fault --into x", "--into works only with learn EXERCISE or learn puzzle"},
        {"learn --into x", "--into works only with learn EXERCISE or learn puzzle"}})
    expect_refused(line, fmt::format("learn: {}; see tapehead learn --help", option));
}

BOOST_AUTO_TEST_CASE(never_overwrites_files) {
  std::filesystem::create_directory("work");
  std::ofstream("work/mine") << "mine";
  expect_refused("learn 1 --into work",
                 "work: the folder isn't empty; give an empty or new folder");
  expect_names("work", {"mine"});
  expect_refused("learn 1 --into work/mine", "work/mine: not a folder");
  expect_refused(
      "learn check work",
      "work: contains no exercise; write one into a new folder with tapehead learn 1 --into DIR");
  std::filesystem::create_directory("empty");
  done("learn 1 --into empty");
  expect_names("empty", {"CMakeLists.txt", "check.cpp", "exercise.cpp", "exercise.hpp",
                         "exercise.md", "sheet.json"});
  std::ofstream("empty/sheet.json") << "{\"exercise\": 5}";
  expect_refused("learn check empty",
                 "empty/sheet.json: damaged; expected the members exercise and student", 1);
}

// From an empty folder to a solved exercise, with common mistakes.
BOOST_AUTO_TEST_CASE(checks_an_exercise_until_it_is_solved) {
  done("learn 1 --into work --student 17");
  Output output = command("learn check work");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(output.errors == "");
  BOOST_TEST(output.text ==
             "1. The chain rule, by hand, student 17\n"
             "  not done  by hand  u is still to do\n"
             "  not done  line     dw is still to do\n"
             "  not done  neuron   dw is still to do\n"
             "0 of 3 parts right; for a hint: tapehead learn check work --hint\n");

  std::string mistaken = solution();
  mistaken.replace(mistaken.find("return {dy * x, dy};"), 20, "return {dy, dy};");
  hand_in(mistaken);
  output = command("learn check work --hint");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "  wrong  line     dw is "));
  BOOST_TEST(has(output.text, "\n2 of 3 parts right; "));
  BOOST_TEST(has(output.text, "\nHint 1 of 2 for 'line': "));
  BOOST_TEST(has(command("learn check work --hint").text, "\nHint 2 of 2 for 'line': "));
  BOOST_TEST(has(command("learn check work --hint").text, "\nNo more hints for 'line'"));
  const json wrong = parsed(command("learn check work --json").text);
  BOOST_TEST(wrong["exercise"] == 1);
  BOOST_TEST(wrong["student"] == 17);
  BOOST_TEST(wrong["right"] == false);
  BOOST_TEST(wrong["passed"] == 2);
  BOOST_TEST(wrong["hints"] == 2);
  BOOST_TEST(wrong["parts"].size() == 3u);
  BOOST_TEST(wrong["parts"][1]["state"] == "wrong");
  BOOST_TEST(wrong["parts"][1]["where"] == "dw");
  BOOST_TEST(wrong["parts"][1].count("expected") == 1u);
  output = command("learn check work --no-answers");
  BOOST_TEST(has(output.text, "  wrong  line     dw is "));
  BOOST_TEST(!has(output.text, "expected"));

  // A changed check.cpp in the folder has no effect.
  std::ofstream("work/check.cpp") << "int main() {}\n";
  hand_in(solution());
  output = command("learn check work");
  BOOST_TEST(output.status == 0);
  BOOST_TEST(has(output.text, "3 of 3 parts right; next: tapehead learn 2\n"));
  const json right = parsed(command("learn check work --json").text);
  BOOST_TEST(right["right"] == true);
  BOOST_TEST(right["digest"] != wrong["digest"]);

  std::string typo = solution();
  typo.replace(typo.find("n.u = w * x;"), 12, "n.u = w * z;");
  hand_in(typo);
  output = command("learn check work --hint");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "\n  exercise.cpp, line "));
  BOOST_TEST(has(output.text, "n.u = w * z;"));
  BOOST_TEST(has(output.text, "\nFix the compile error first.\n"));
  BOOST_TEST(has(parsed(command("learn check work --json").text)["error"].get<std::string>(),
                 "exercise.cpp, line "));

  std::string crash = solution();
  crash.replace(crash.find("return {du * x, du};"), 20,
                "std::puts(\"so far\"); std::fflush(stdout); std::abort();");
  hand_in(crash);
  output = command("learn check work");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "  failed  neuron   the program was ended by signal 6\n"));
  BOOST_TEST(has(output.text, "your program printed\n  so far\n"));

  // An out-of-range index ends the program. The report lists the remaining parts as "not run".
  std::string past = solution();
  past.replace(past.find("return {dy * x, dy};"), 20, "return {std::vector<double>{x}[1], dy};");
  hand_in(past);
  output = command("learn check work");
  BOOST_TEST(has(output.text,
                 "  right    by hand\n"
                 "  failed   line     the program was ended by signal 6\n"
                 "  not run  neuron\n"),
             output.text);
  BOOST_TEST(has(output.text, "\n1 of 3 parts right; "));

  // Numbers that differ only in the ninth digit are shown with enough digits.
  std::string near = solution();
  near.replace(near.find("return {dy * x, dy};"), 20, "return {dy * x * (1 + 1e-8), dy};");
  hand_in(near);
  const json digits = parsed(command("learn check work --json").text)["parts"][1];
  BOOST_TEST(digits["state"] == "wrong");
  BOOST_TEST(digits["given"] != digits["expected"]);

  std::string renamed = solution();
  renamed.replace(renamed.find("Line neuron("), 12, "Line n(");
  hand_in(renamed);
  BOOST_TEST(has(command("learn check work").text,
                 "Don't change names, arguments and result types in exercise.cpp.\n"));

  // A moved folder still works, including its build folder.
  hand_in(solution());
  std::filesystem::rename("work", "handed in");
  BOOST_TEST(command({"learn", "check", "handed in"}).status == 0);
}

// Grades the C++ of a class. No program can stop the grading or write outside its hand-in.
BOOST_AUTO_TEST_CASE(grades_code) {
  const auto hand_in_as = [](const std::string& name, int student, const std::string& from,
                             const std::string& to) {
    std::string text = solution();
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    done(fmt::format("learn 1 --into in/{}/chain-rule --student {}", name, student));
    std::ofstream("in/" + name + "/chain-rule/exercise.cpp") << text;
  };
  const std::string line = "return {dy * x, dy};";
  hand_in_as("ada", 17, "", "");
  hand_in_as("ben", 17, "", "");  // a copy of ada's hand-in, with her number
  hand_in_as("cleo", 19, line, "for (;;) std::getenv(\"x\");");
  hand_in_as("dan", 20, line, "std::vector<char> all(3000000000, 1); return {all[9] + x, dy};");
  hand_in_as("eve", 21, line, "return {");
  std::ofstream("class.txt") << "17 ada\n18 ben\n19 cleo\n20 dan\n21 eve\n";
  // A record contains the code.
  done("learn check in/ada/chain-rule --record fay.jsonl --json");
  const json graded = json_of(
      "learn grade in fay.jsonl --class class.txt --seconds 2 --memory 1000 --jobs 2 --json");
  const json& rows = graded["grades"];
  BOOST_TEST(rows.size() == 6u);
  BOOST_TEST(rows[0]["right"] == true);
  BOOST_TEST(rows[0]["notes"] == json({"the same file as ben"}));
  BOOST_TEST(rows[1]["number"] == 18);
  BOOST_TEST(has(rows[1]["notes"].dump(), "answered as student 17, but the class list says 18"));
  BOOST_TEST(rows[2]["parts"][1]["note"] == "the program was stopped after 2 s");
  BOOST_TEST(rows[2]["passed"] == 1);
  BOOST_TEST(rows[3]["parts"][1]["state"] == "failed");
  BOOST_TEST(rows[3]["parts"][1]["note"] == "std::bad_alloc");
  BOOST_TEST(has(rows[4]["error"].get<std::string>(), "exercise.cpp, line "));
  BOOST_TEST(rows[5]["right"] == true);
  BOOST_TEST(rows[5]["notes"] == json({"not in the class list"}));
  BOOST_TEST(!std::filesystem::exists("in/cleo/chain-rule/build"));
  const std::string fallen = done("learn grade in/eve --class class.txt").text;
  BOOST_TEST(has(fallen, "\neve      1 chain-rule  0 of 3      1        exercise.cpp, line "));
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    BOOST_TEST(!has(entry.path().filename().string(), "tapehead-grade-"));
}

BOOST_AUTO_TEST_SUITE_END()
