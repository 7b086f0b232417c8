// Checks that hand-ins are evaluated again and their claims ignored. learn_test.cpp has the tests
// that need a compiler.
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(learn_grade, Elsewhere)

namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// Returns the rows of a student.
std::vector<json> rows_of(const json& graded, const std::string& student) {
  std::vector<json> rows;
  for (const json& row : graded["grades"])
    if (row["student"] == student) rows.push_back(row);
  return rows;
}
bool notes(const json& row, const std::string& text) { return has(row["notes"].dump(), text); }

/// Creates hand-ins: ada has solved two tasks, and ben has copied her numbers.
void hand_in() {
  std::filesystem::create_directory("in");
  const std::string hers = "y0=0.33 y1=.67 dx0=0.18 dx1=-.18";
  done("learn 6 --student 17 " + hers + " --record in/ada.jsonl");
  command({"learn", "rule", "softmax", "--student", "17", "dx = y * (dy - dy * y)", "--record",
           "in/ada.jsonl"});
  command({"learn", "rule", "softmax", "--student", "17",
           "dx = y * (dy - sum(dy * y, axes=-1, keep))", "--record", "in/ada.jsonl"});
  command("learn 6 --student 18 " + hers + " --record in/ben.jsonl");
  command("learn fault --seed 9 --student 18 --answer '5 two' --record in/ben.jsonl");
  write("class.txt", "17 ada\n18 ben\n\n19 cleo\n");
}

}  // namespace

BOOST_AUTO_TEST_CASE(grades_the_best_answers) {
  hand_in();
  const json graded = json_of("learn grade in --class class.txt --json");
  const std::vector<json> ada = rows_of(graded, "ada"), ben = rows_of(graded, "ben");
  BOOST_TEST_REQUIRE(ada.size() == 2u);
  BOOST_TEST(ada[0]["task"] == "by hand");
  BOOST_TEST(ada[0]["right"] == true);
  BOOST_TEST(ada[1]["task"] == "rule");
  BOOST_TEST(ada[1]["right"] == true);
  BOOST_TEST(ada[1]["notes"].empty());
  BOOST_TEST_REQUIRE(ben.size() == 2u);
  BOOST_TEST(ben[0]["passed"] == 1);  // y1 follows from y0
  BOOST_TEST(notes(ben[0], "the numbers by hand belong to 17 ada"));
  BOOST_TEST(notes(ben[1], "wrong: line, kind"));
  BOOST_TEST(ada[1]["attempts"] == 2);
  // A right answer stays right, and a solution shown later doesn't matter.
  command("learn 6 --student 17 y0=9 --record in/ada.jsonl");
  done("learn 6 --student 17 --solution --record in/ada.jsonl");
  const json again = rows_of(json_of("learn grade in --class class.txt --json"), "ada")[0];
  BOOST_TEST(again["right"] == true);
  BOOST_TEST(again["attempts"] == 1);
  BOOST_TEST(again["solution"] == false);
  BOOST_TEST_REQUIRE(rows_of(graded, "cleo").size() == 1u);
  BOOST_TEST(notes(rows_of(graded, "cleo")[0], "nothing handed in"));
  // Without a class list, compares with the other hand-ins.
  BOOST_TEST(notes(rows_of(json_of("learn grade in --json"), "ben")[0], "belong to 17 ada"));
  BOOST_TEST(!has(done("learn grade in --json --no-answers").text, "expected"));
}

// One row per student, with the total and the skipped tasks.
BOOST_AUTO_TEST_CASE(adds_up_per_student) {
  hand_in();
  write("class.txt", "17 Ada Lovelace ada@x.org\n18 ben\n19 cleo\n");
  std::filesystem::rename("in/ada.jsonl", "in/17.jsonl");
  const json students = json_of("learn grade in --class class.txt --json")["students"];
  BOOST_TEST_REQUIRE(students.size() == 3u);
  BOOST_TEST(students[0]["student"] == "Ada Lovelace");
  BOOST_TEST(students[0]["total"] == 5);
  BOOST_TEST(students[0]["out_of"] == 7);
  BOOST_TEST(students[0]["attempts"] == 3);
  BOOST_TEST(students[0]["skipped"] == json({"fault 9"}));
  BOOST_TEST(students[2]["total"] == 0);
  BOOST_TEST(students[2]["skipped"].size() == 3u);
  const json chosen =
      json_of("learn grade in --class class.txt --tasks '6; rule relu' --json")["students"];
  BOOST_TEST(chosen[0]["total"] == 4);
  BOOST_TEST(chosen[0]["out_of"] == 5);
  BOOST_TEST(chosen[0]["skipped"] == json({"rule relu"}));
  done("learn grade in --class class.txt --csv table.csv");
  const std::vector<std::string> lines = lines_of(contents("table.csv"));
  BOOST_TEST(lines.size() == 4u);
  BOOST_TEST(lines[0] ==
             "Student,ID,SIS User ID,SIS Login ID,Section,\"6 softmax, by hand\",\"rule softmax\","
             "\"fault 9\",Total,Out of,Percent,Attempts,Hints,Solutions shown,Skipped,Notes");
  BOOST_TEST(lines[1] ==
             "\"Ada Lovelace\",,17,\"ada@x.org\",,4,1,,5,7,71.4,3,0,0,\"fault 9\",\"\"");
  write("class.txt", "17 ada\n17 ben\n");
  expect_refused("learn grade in --class class.txt",
                 "class.txt, line 2: ada and ben have the same number, 17");
}

// In an exam, the last answer counts, and a line without its kind is half right.
BOOST_AUTO_TEST_CASE(grades_exams) {
  std::filesystem::create_directory("in");
  const std::string to = " --student 17 --exam --record in/ada.jsonl";
  const json right = json_of("learn fault --seed 3 --student 17 --solution --json");
  done(fmt::format("learn fault --seed 3 --answer '{} {}'", right["line"].get<int>(),
                   right["kind"].get<std::string>()) +
       to);
  done(fmt::format("learn fault --seed 3 --answer '{} {}'", right["line"].get<int>(),
                   right["kind"] == "two" ? "sign" : "two") +
       to);
  const json row = rows_of(json_of("learn grade in --json"), "ada")[0];
  BOOST_TEST(row["exam"] == true);
  BOOST_TEST(row["attempts"] == 2);
  BOOST_TEST(row["passed"] == 1);
}

BOOST_AUTO_TEST_CASE(ignores_claims) {
  hand_in();
  std::string forged = contents("in/ben.jsonl");
  forged.replace(forged.find("\"passed\":1"), 10, "\"passed\":4");
  write("in/ben.jsonl", forged);
  std::filesystem::copy_file("in/ada.jsonl", "in/19.jsonl");
  const json graded = json_of("learn grade in --class class.txt --json");
  BOOST_TEST(notes(rows_of(graded, "ben")[0], "the record claims 4 of 4 right"));
  BOOST_TEST(rows_of(graded, "ben")[0]["passed"] == 1);
  const std::vector<json> cleo = rows_of(graded, "cleo");
  BOOST_TEST_REQUIRE(cleo.size() == 2u);
  BOOST_TEST(cleo[0]["passed"] == 1);
  BOOST_TEST(cleo[1]["passed"] == 1);
  BOOST_TEST(notes(cleo[0], "answered as student 17, but the class list says 19"));
  BOOST_TEST(notes(cleo[0], "the same file as ada"));
  const json unlisted = json_of("learn grade in --json");
  BOOST_TEST(notes(rows_of(unlisted, "19")[0], "the same student number as ada"));
  BOOST_TEST(rows_of(unlisted, "ben")[1]["notes"].size() == 1u);
}

BOOST_AUTO_TEST_CASE(accepts_files_named_by_number) {
  hand_in();
  std::filesystem::rename("in/ada.jsonl", "in/hand-in-17.jsonl");
  std::filesystem::rename("in/ben.jsonl", "in/18.jsonl");
  const json graded = json_of("learn grade in --class class.txt --json");
  BOOST_TEST(rows_of(graded, "ada").size() == 2u);
  BOOST_TEST(rows_of(graded, "ben").size() == 2u);
}

BOOST_AUTO_TEST_CASE(survives_damaged_hand_ins) {
  hand_in();
  write("in/a.json", "{\"task\": ");
  write("in/b.jsonl", std::string(3, '\0') + "\xff\n");
  write("in/c.jsonl", "");
  write("in/d.jsonl", std::string(2 << 20, 'x'));
  write("in/e.jsonl",
        R"({"task":"rule","exercise":"softmax","student":1,"answers":"dx = y * ("})"
        "\n"
        R"({"task":"rule","exercise":"no","student":1,"answers":"dx = y"})"
        "\n"
        R"({"task":"by hand","exercise":"softmax","student":1,"answers":{"z":1,"y0":"x"}})"
        "\n"
        R"({"task":"by hand","exercise":7,"student":1})"
        "\n");
  write("in/f.jsonl",
        R"({"task":"fault","exercise":"x","student":1,"answers":"5 two"})"
        "\n"
        R"({"task":"fault","exercise":"3","student":1,"answers":{}})"
        "\n"
        R"({"task":"\u001b[31m","exercise":"3","student":1})"
        "\n"
        R"({"task":"rule","exercise":"relu","student":1,"answers":"dx = dy @ dy","hints":-3})"
        "\n");
  std::filesystem::create_symlink("/etc/passwd", "in/g.json");
  std::filesystem::create_directories("in/h/empty");
  std::filesystem::create_directory("in/i.json");
  std::filesystem::create_directories("in/j/softmax");
  write("in/j/softmax/exercise.cpp", "int");
  write("in/k.pdf", "not looked at");
  std::string many;
  for (int i = 0; i < 300; ++i)
    many += fmt::format(R"({{"task":"fault","exercise":"{}","student":1}})"
                        "\n",
                        i);
  write("in/l.jsonl", many);
  const json graded = json_of("learn grade in --json");
  const auto first = [&](const std::string& student) { return rows_of(graded, student).at(0); };
  BOOST_TEST(notes(first("a"), "in/a.json, line 1: not a record of an answer"));
  BOOST_TEST(notes(first("b"), "in/b.jsonl, line 1: not a record"));
  BOOST_TEST(notes(first("c"), "in/c.jsonl: contains no answers"));
  BOOST_TEST(notes(first("d"), "in/d.jsonl: has 2097152 bytes"));
  BOOST_TEST(notes(first("e"), "in/e.jsonl, line 4: not a record of an answer"));
  const std::vector<json> f = rows_of(graded, "f");
  BOOST_TEST_REQUIRE(f.size() == 4u);
  BOOST_TEST(notes(f[0], "'x' is not a fault seed"));
  BOOST_TEST(notes(f[1], "--answer: expected a line and a kind"));
  BOOST_TEST(notes(f[2], "unknown task"));
  BOOST_TEST(notes(f[3], "failed: dx"));
  BOOST_TEST(f[3]["hints"] == 0);
  BOOST_TEST(notes(first("g"), "not a regular file"));
  BOOST_TEST(notes(first("h"), "contains neither a record nor an exercise"));
  BOOST_TEST(notes(first("i.json"), "contains neither a record nor an exercise"));
  BOOST_TEST(notes(first("j"), "in/j/softmax: has no sheet.json"));
  BOOST_TEST(rows_of(graded, "k").empty());
  BOOST_TEST(notes(first("l"), "in/l.jsonl: has 300 tasks; at most 200 are graded"));
  BOOST_TEST(rows_of(graded, "ada")[0]["right"] == true);
  expect_plain(done("learn grade in").text);
}

BOOST_AUTO_TEST_CASE(writes_a_table_for_spreadsheets) {
  hand_in();
  std::filesystem::rename("in/ben.jsonl", "in/=1+1.jsonl");
  const Output output = done("learn grade in --csv table.csv");
  expect_plain(output.text);
  BOOST_TEST(has(output.text, "student  exercise"));
  BOOST_TEST(has(output.text, "\nwritten to table.csv\n"));
  const std::string table = contents("table.csv");
  BOOST_TEST(has(table, "\n\"ada\",,17,,,4,1,,5,7,"));
  BOOST_TEST(has(table, "\n\"'=1+1\",,18,"));
  expect_refused("learn grade none", "learn grade: none: not found");
  write("bad.txt", "17 ada\nben 18\n");
  expect_refused("learn grade in --class bad.txt",
                 "bad.txt, line 2: expected a number and a name, as in '17 ada', got 'ben 18'");
}

BOOST_AUTO_TEST_SUITE_END()
