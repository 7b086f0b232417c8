// Numbers by hand, checked without a compiler, and the record of answers.
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../by_hand/expected.hpp"
#include "../by_hand/hand.hpp"

#include <cmath>
#include <filesystem>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(learn_hand, Elsewhere)

namespace {

/// Returns the expected numbers, as reported for wrong answers.
HandAnswers right_answers(const Exercise& exercise, std::uint64_t student) {
  HandAnswers wrong, right;
  for (const std::string& name : names_by_hand(exercise)) wrong.emplace_back(name, 1e6);
  for (const CheckedPart& part : check_by_hand(exercise, student, wrong).parts)
    right.emplace_back(part.name, std::stod(part.expected));
  return right;
}

}  // namespace

// Each exercise's check.cpp is compiled into the command. Both must expect the same numbers.
BOOST_AUTO_TEST_CASE(expects_the_numbers_of_the_check) {
  int with_numbers = 0;
  for (const Exercise& exercise : exercises()) BOOST_TEST_CONTEXT(exercise.name) {
      const std::vector<std::string> names = names_by_hand(exercise);
      const std::vector<std::string> parts = parts_of(exercise);
      BOOST_TEST(names.empty() == (std::count(parts.begin(), parts.end(), "by hand") == 0));
      if (names.empty()) continue;
      ++with_numbers;
      for (const std::uint64_t student : {0, 17, 4711}) {
        const HandAnswers right = right_answers(exercise, student);
        BOOST_TEST(check_by_hand(exercise, student, right).right());
        HandAnswers rounded = right;
        for (auto& [name, number] : rounded) number = std::round(number * 100) / 100;
        BOOST_TEST(check_by_hand(exercise, student, rounded).right());
        for (std::size_t i = 0; i < right.size(); ++i) {
          HandAnswers off = right;
          off[i].second += 0.02 * std::max(1.0, std::abs(off[i].second));
          const CheckedWork work = check_by_hand(exercise, student, off);
          BOOST_TEST(work.parts[i].state == "wrong");
          // Right numbers stay right: they don't follow from the wrong one, but are expected.
          BOOST_TEST(work.passed() == static_cast<Index>(right.size()) - 1);
        }
      }
      BOOST_TEST(check_by_hand(exercise, 0, {}).wrong()->state == "not done");
    }
  BOOST_TEST(with_numbers == 14);
}

// A number that follows from earlier wrong numbers counts; the first wrong one doesn't.
BOOST_AUTO_TEST_CASE(credits_follow_up_errors) {
  // Softmax for student 17: y0 is wrong, the rest follows from it.
  const Output output = command("learn 6 --student 17 y0=0.25 y1=0.75 --json");
  const json work = parsed(output.text);
  BOOST_TEST(output.status == 1);
  BOOST_TEST(work["parts"][0]["state"] == "wrong");
  BOOST_TEST(work["parts"][1]["state"] == "follow-up");
  BOOST_TEST(work["passed"] == 1);
  int with_follow_ups = 0;
  for (const Exercise& exercise : exercises()) BOOST_TEST_CONTEXT(exercise.name) {
      const HandAnswers right = right_answers(exercise, 17);
      if (right.empty()) continue;
      HandAnswers off = right;
      off[0].second += 1;
      BOOST_TEST(check_by_hand(exercise, 17, off).parts[0].state == "wrong");
      const HandCheck* check = hand_checks;
      while (check->folder != fmt::format("{:02}-{}", exercise.number, exercise.name)) ++check;
      const std::vector<double> expected = check->expected(17);
      const std::vector<double> follows = check->follows(17, expected);
      for (std::size_t i = 0; i < follows.size(); ++i) {
        if (std::isnan(follows[i])) continue;
        ++with_follow_ups;
        BOOST_TEST(std::abs(follows[i] - expected[i]) < 1e-9);
      }
    }
  BOOST_TEST(with_follow_ups >= 25);
}

BOOST_AUTO_TEST_CASE(shows_solutions) {
  BOOST_TEST(done("learn 6 --student 17 --solution").text ==
             "y0 = 0.333333\ny1 = 0.666667\ndx0 = 0.177778\ndx1 = -0.177778\n");
  BOOST_TEST(json_of("learn 2 --student 17 --solution --json")["solution"].size() == 4u);
}

// In an exam, answers are recorded without a result.
BOOST_AUTO_TEST_CASE(records_exams) {
  const Output output = done("learn 6 --student 17 y0=0.3 --exam --record ada.jsonl");
  BOOST_TEST(output.text == "recorded in ada.jsonl\n");
  done("learn fault --student 17 --answer '3 two' --exam --record ada.jsonl");
  done("learn rule relu --student 17 'dx = dy' --exam --record ada.jsonl --json");
  for (const std::string& line : lines_of(contents("ada.jsonl"))) {
    BOOST_TEST(json::parse(line)["exam"] == true);
    BOOST_TEST(json::parse(line).count("passed") == 0u);
  }
  expect_refused("learn 6 y0=1 --exam --hint --record x",
                 "learn: --exam allows no --hint or --solution; remove them");
  expect_refused("learn 6 y0=1 --exam", "learn: --exam needs --record FILE");
  expect_refused("learn 6 y0=1 y1=x --exam --record x",
                 "learn 6: y1: expected a number, as in 0.25 or 1/3, got 'x'");
}

BOOST_AUTO_TEST_CASE(reads_numbers_from_code) {
  const Exercise& softmax = find_exercise("softmax");
  const HandAnswers found =
      answers_in(softmax,
                 "ByHand by_hand() {\n  ByHand n{};\n  n.y0 = 1.0 / 3;\n  n.y1 = todo;\n"
                 "  n.dx0 = -0.5;\n  n.dx1 = std::exp(1);\n  n.z = 3;\n");
  BOOST_TEST(found.size() == 2u);
  BOOST_TEST(found[0].first == "y0");
  BOOST_TEST(std::abs(found[0].second - 1.0 / 3) < 1e-15);
  BOOST_TEST(found[1].second == -0.5);
}

BOOST_AUTO_TEST_CASE(checks_each_number) {
  Output output = command("learn 6 --student 17 y0=0.33 y1=0.7 dx0=.18");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(output.text ==
             "6. Softmax, by hand, student 17\n"
             "  right     y0\n"
             "  wrong     y1   y1 is 0.7, expected 0.666667; two decimals are enough\n"
             "  right     dx0\n"
             "  not done  dx1\n"
             "2 of 4 numbers right; for a hint, add --hint\n");
  BOOST_TEST(!has(command("learn 6 --student 17 y1=0.7 --no-answers").text, "expected 0"));
  output = done("learn softmax --student 17 y0=0.33 y1=.67 dx0=0.18 dx1=-.18");
  BOOST_TEST(has(output.text, "4 of 4 numbers right; next: tapehead learn rule softmax\n"));
  BOOST_TEST(has(command("learn 6 --student 17 y0=1/3 y1=1-1/3").text, "2 of 4 numbers right"));
  const Output mixed = command("learn 6 --student 17 y0=1/3 y1=abc dx0=.18");
  BOOST_TEST(has(mixed.text, "2 of 4 numbers right"), mixed.text);
  BOOST_TEST(has(mixed.text, "y1 is abc; expected a number, as in 0.25 or 1/3"), mixed.text);
  expect_refused("learn 6 y0=nan", "learn 6: y0: expected a number, as in 0.25 or 1/3, got 'nan'");
  expect_refused("learn 6 y0=", "learn 6: y0: expected a number, as in 0.25 or 1/3, got ''");
  const json result = parsed(command("learn 6 --student 17 y1=0.7 --json").text);
  BOOST_TEST(result["exercise"] == 6);
  BOOST_TEST(result["name"] == "softmax");
  BOOST_TEST(result["student"] == 17);
  BOOST_TEST(result["passed"] == 0);
  BOOST_TEST(result["parts"][1]["state"] == "wrong");
  BOOST_TEST(result["parts"][1]["expected"] == "0.666667");
  const json task = json_of("learn 6 --student 17 --json");
  BOOST_TEST(task["numbers"] == json({"y0", "y1", "dx0", "dx1"}));
  BOOST_TEST(has(task["text"].get<std::string>(), "# 6. Softmax"));
  BOOST_TEST(json_of("learn --json").size() == exercises().size());

  expect_refused("learn 6 z=1",
                 "learn 6: unknown name 'z'; the numbers to compute by hand are y0, y1, dx0, dx1");
  expect_refused("learn 6 y0=1 y0=2", "learn 6: y0 is given twice");
  expect_refused("learn 6 y0", "learn 6: expected NAME=NUMBER, as in y0=0.25, got 'y0'");
  expect_refused("learn 6 y0=x", "learn 6: y0: expected a number, as in 0.25 or 1/3, got 'x'");
  expect_refused("learn 14 y0=1", "learn 14: this exercise has no numbers to compute by hand");
  expect_refused("learn 6 y0=1 --into x",
                 "learn 6: --into can't be combined with answers, --hint, --json or --record");
}

// With a record, each call shows the next hint.
BOOST_AUTO_TEST_CASE(records_answers) {
  const std::string to = " --record ada.jsonl";
  BOOST_TEST(has(command("learn 6 --hint" + to).text, "Hint 1 of 2 for 'by hand'"));
  Output output = command("learn 6 y0=0.33 --hint" + to);
  BOOST_TEST(has(output.text, "Hint 2 of 2 for 'by hand'"));
  BOOST_TEST(has(output.text, "\nrecorded in ada.jsonl\n"));
  BOOST_TEST(has(command("learn 6 --hint" + to).text, "No more hints"));
  BOOST_TEST(has(command("learn 6 --student 1 --hint" + to).text, "Hint 1 of 2"));
  done("learn rule relu --solution" + to);
  command({"learn", "rule", "relu", "dx = dy", "--record", "ada.jsonl", "--json"});
  command({"learn", "fault", "--seed", "9", "--answer", "5 two", "--record", "ada.jsonl"});
  const std::vector<std::string> lines = lines_of(contents("ada.jsonl"));
  BOOST_TEST(lines.size() == 7u);
  const json second = json::parse(lines[1]);
  BOOST_TEST(second["task"] == "by hand");
  BOOST_TEST(second["exercise"] == "softmax");
  BOOST_TEST(second["answers"]["y0"] == 0.33);
  BOOST_TEST(second["hints"] == 2);
  BOOST_TEST(second["parts"] == 4);
  BOOST_TEST(second.count("version") == 1u);
  BOOST_TEST(json::parse(lines[4])["solution"] == true);
  BOOST_TEST(json::parse(lines[5])["answers"] == "dx = dy");
  BOOST_TEST(json::parse(lines[6])["exercise"] == "9");
  expect_refused("learn 6 --record x.jsonl",
                 "learn 6: --record needs answers, as in tapehead learn 1 u=0.25 --record FILE");
  expect_refused("learn fault --record x.jsonl", "learn fault: --record requires --answer");
  std::ofstream("damaged.jsonl") << "{}\n";
  expect_refused("learn 6 y0=1 --hint --record damaged.jsonl",
                 "damaged.jsonl, line 1: not a record of an answer, as learn --record writes it",
                 1);
}

BOOST_AUTO_TEST_SUITE_END()
