#include "../project.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"

#include <unistd.h>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(project, Elsewhere)

BOOST_AUTO_TEST_CASE(names_are_replaced) {
  const auto twice = [](const std::string& name) { return name + name; };
  BOOST_TEST(fill_template("a @b@ c@d_1@", twice) == "a bb cd_1d_1");
  BOOST_TEST(fill_template("x @ w + b @ v, a@b", twice) == "x @ w + b @ v, a@b");
  BOOST_TEST(fill_template("", twice) == "");
}

BOOST_AUTO_TEST_CASE(a_project_needs_an_empty_folder) {
  write_project("new/one", {{"a.txt", "a"}, {"b.txt", "b"}});
  expect_names("new/one", {"a.txt", "b.txt"});
  EXPECT_ERROR(UsageError, write_project("new/one", {{"c.txt", "c"}}),
               "new/one: the folder isn't empty; give an empty or new folder");
  expect_names("new/one", {"a.txt", "b.txt"});
  std::filesystem::create_directory("empty");
  write_project("empty", {{"a.txt", "a"}});
  BOOST_TEST(contents("empty/a.txt") == "a");
}

BOOST_AUTO_TEST_CASE(first_compiler_error) {
  BOOST_TEST(
      first_error("[1/2] Building\n"
                  "In file included from /x/check.cpp:4:\n"
                  "/x/exercise.cpp: In function 'int f()':\n"
                  "/x/exercise.cpp:12:3: warning: unused\n"
                  "/x/exercise.cpp:13:10: error: 'foo' was not declared\n"
                  "   13 |   return foo;\n"
                  "      |          ^~~\n"
                  "/x/exercise.cpp:14:1: error: another\n") ==
      "exercise.cpp, line 13: 'foo' was not declared\n   13 |   return foo;\n      |          "
      "^~~\n");
  BOOST_TEST(first_error("a.cpp:1:10: fatal error: x.hpp: No such file or directory\n") ==
             "a.cpp, line 1: x.hpp: No such file or directory\n");
  BOOST_TEST(first_error("ld: check.cpp: undefined reference to `f()'\n") ==
             "undefined reference to `f()'\n");
  BOOST_TEST(first_error("all is well\n") == "");
}

BOOST_AUTO_TEST_CASE(exit_status_and_output) {
  const auto bash = [](const char* line, int seconds = 0) {
    return run_process({"bash", "-c", line}, seconds);
  };
  const ProcessResult both = bash("echo out; echo err >&2; cat; exit 3");
  BOOST_TEST(both.status == 3);
  BOOST_TEST(both.output == "out\nerr\n");
  BOOST_TEST(bash("kill -11 $$").status == 128 + 11);
  const ProcessResult slow = bash("echo begun; exec sleep 60", 1);
  BOOST_TEST(slow.timed_out);
  BOOST_TEST(slow.output == "begun\n");
  const ProcessResult silent = bash("exec >&- 2>&-; sleep 60", 1);  // closes its output
  BOOST_TEST(silent.timed_out);
  BOOST_TEST(silent.status == 128 + 9);
  const ProcessResult leaving =
      bash("sleep 60 & echo $!; exit 3");  // the child keeps the output open
  BOOST_TEST(leaving.status == 3);
  BOOST_TEST(!leaving.timed_out);
  const std::string left = "/proc/" + leaving.output.substr(0, leaving.output.find('\n'));
  for (int i = 0; i < 200 && !contents(left + "/cmdline").empty(); ++i) ::usleep(10'000);
  BOOST_TEST(contents(left + "/cmdline") == "");  // it has ended, even if nobody waited for it
  const ProcessResult much = bash("head -c 1000000 /dev/zero | tr '\\0' x");
  BOOST_TEST(much.status == 0);
  BOOST_TEST(much.output.size() == 65536u);
  EXPECT_ERROR(FileError, run_process({"./no-such-program"}),  // not found in PATH
               "./no-such-program: No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
