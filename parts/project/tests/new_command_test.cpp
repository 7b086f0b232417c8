#include "../../../core/system/process.hpp"
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../project.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(new_command, Elsewhere)

namespace {

/// Trains with the built program `my-own`, and returns the session in its run.
json session_of(const std::string& build) {
  std::filesystem::remove_all("run");
  std::vector<std::string> words = words_of(
      build + "/my-own train reverse --length 4 --symbols 4 --width 8 --steps 1 --out run");
  const ProcessResult trained = run_process(words, 60);
  BOOST_TEST_REQUIRE(trained.status == 0, trained.output);
  return parsed(contents("run/provenance.jsonl"));
}

/// Expects that runs of the project record its git commit, which a build looks up.
void expect_recorded_commit(const std::string& folder, const std::string& build) {
  const json without = session_of(build);
  BOOST_TEST(without["program"] == "my-own");
  BOOST_TEST(without["project"] == "my-own");
  BOOST_TEST(!without.contains("commit"));
  if (!system::has_program("git")) return;
  const auto git = [&](const std::string& words) {
    const ProcessResult done = run_process(words_of(
        "git -C " + folder + " -c user.name=a -c user.email=a -c commit.gpgsign=false " + words));
    BOOST_TEST_REQUIRE(done.status == 0, done.output);
    return done.output;
  };
  const auto commit_after_build = [&]() -> std::string {
    const BuildOutcome outcome =
        build_project(std::filesystem::absolute(folder).string(), build, "program");
    BOOST_TEST_REQUIRE(outcome.built, outcome.log);
    BOOST_TEST(!has(outcome.log, "main.cpp"), outcome.log);  // only the commit is compiled
    return session_of(build)["commit"];
  };
  git("init -q");
  std::ofstream(folder + "/notes.txt") << "one";
  git("add notes.txt main.cpp");
  git("commit -q -m first");
  const std::string commit = lines_of(git("rev-parse HEAD"))[0];
  BOOST_TEST(commit_after_build() == commit);
  std::ofstream(folder + "/notes.txt") << "two";
  BOOST_TEST(commit_after_build() == commit + "-dirty");
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_template_builds_and_passes_its_tests) {
  if (under_sanitizers) return;  // the project is built without sanitizers
  std::vector<const char*> kinds = {"layer", "op"};
  if (whole_tests) kinds.insert(kinds.end(), {"task", "optimizer"});
  for (const char* kind : kinds) BOOST_TEST_CONTEXT(kind) {
      const std::string folder = std::string("a-") + kind;
      const Output output = command({"new", folder, std::string("--") + kind, "my-own"});
      BOOST_TEST(output.status == 0, output.errors);
      BOOST_TEST(missing(output.text, {"Wrote a CMake project to " + folder}) == "");
      expect_names(folder, {"CMakeLists.txt", "main.cpp"});
      const std::string build = std::filesystem::absolute(folder + "/build").string();
      const BuildOutcome outcome = build_project(std::filesystem::absolute(folder).string(), build,
                                                 "program", {"CMAKE_BUILD_TYPE=Debug"});
      BOOST_TEST_REQUIRE(outcome.built, outcome.log);
      expect_recorded_commit(folder, build);
      for (int time = 0; time < 2; ++time) {  // the files of the first run don't affect the second
        const ProcessResult tests = run_process({"ctest", "--test-dir", build}, 120);
        BOOST_TEST(tests.status == 0, tests.output);
        BOOST_TEST(missing(tests.output, {"100% tests passed"}) == "");
      }
    }
}

BOOST_AUTO_TEST_CASE(each_template_is_an_example_with_its_name_replaced) {
  const std::array<const char*, 4> rows[] = {
      {"layer", "04_custom_layer", "gated", "GatedAttentionLayer"},
      {"task", "14_task", "rotate", "RotateSettings"},
      {"optimizer", "07_optimizer", "adagrad", "AdagradUpdate"},
      {"op", "15_op", "sharp_softplus", "SharpSoftplusMLP"}};
  for (const auto& [kind, example, name, type] : rows) BOOST_TEST_CONTEXT(kind) {
      const std::string option = std::string("--") + kind;
      BOOST_TEST_REQUIRE(command({"new", kind, option, name}).status == 0);
      std::string text = contents(std::string(source_dir) + "/examples/" + example + ".cpp");
      for (std::size_t at; (at = text.find("./mine")) != std::string::npos;)
        text.replace(at, 6, std::string("./") + name);
      BOOST_TEST(contents(std::string(kind) + "/main.cpp") == text);
      BOOST_TEST(missing(text, {type}) == "");

      BOOST_TEST_REQUIRE(command({"new", "other", option, "my-own"}).status == 0);
      const std::string renamed = contents("other/main.cpp");
      BOOST_TEST(renamed.find(name) == std::string::npos);
      BOOST_TEST(renamed.find(std::string("struct ") + std::string(type).substr(0, 5)) ==
                 std::string::npos);
      std::filesystem::remove_all("other");
    }
}

// Tests names that are C++ keywords, or names of types and functions in the library.
BOOST_AUTO_TEST_CASE(names_with_other_meanings_compile) {
  if (under_sanitizers || !whole_tests) return;
  const std::pair<const char*, const char*> names[] = {
      {"layer", "attention"}, {"optimizer", "make"}, {"op", "class"}, {"task", "task"}};
  for (const auto& [kind, name] : names) BOOST_TEST_CONTEXT(kind << ' ' << name) {
      BOOST_TEST_REQUIRE(command({"new", kind, std::string("--") + kind, name}).status == 0);
      const std::string folder = std::filesystem::absolute(kind).string();
      const BuildOutcome outcome =
          build_project(folder, folder + "/build", "program", {"CMAKE_BUILD_TYPE=Debug"});
      BOOST_TEST(outcome.built, outcome.log);
    }
}

BOOST_AUTO_TEST_CASE(the_default_template_is_the_command_line) {
  BOOST_TEST(command("new mine").status == 0);
  BOOST_TEST(missing(contents("mine/CMakeLists.txt"), {"OUTPUT_NAME mine"}) == "");
  BOOST_TEST(missing(contents("mine/main.cpp"), {"return run(argc, argv, registry);"}) == "");
}

BOOST_AUTO_TEST_CASE(printed_commands_can_be_pasted_and_are_escaped) {
  const Output output = command({"new", "a b\x1b[31m/mine"});
  BOOST_TEST(output.text ==
             "Wrote a CMake project to a b␛[31m/mine; the program is main.cpp. Configure, build "
             "and test it:\n"
             "  cmake -S $'a b\\033[31m/mine' -B $'a b\\033[31m/mine/build' && "
             "cmake --build $'a b\\033[31m/mine/build' && "
             "ctest --test-dir $'a b\\033[31m/mine/build'\n"
             "  $'a b\\033[31m/mine/build/mine' --help\n"
             "If CMake doesn't find tapehead, add -D CMAKE_PREFIX_PATH=PREFIX to the first "
             "command; PREFIX is\nits installation prefix or build folder.\n");
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  const std::pair<const char*, const char*> wrong[] = {
      {"new x --layer Big",
       "--layer: 'Big' isn't a valid name; use lower-case letters, digits, - and _, as "
       "in my-layer"},
      {"new x --layer Linear", "--layer: 'Linear' isn't a valid name; "},
      {"new x --layer standard", "--layer: 'standard' already exists; choose another name"},
      {"new x --task copy", "--task: 'copy' already exists; choose another name"},
      {"new x --optimizer muon", "--optimizer: 'muon' already exists; choose another name"},
      {"new x --task test", "--task: 'test' is a CMake target; choose another name"},
      {"new x --op exp", "--op: 'exp' already exists; choose another name"},
      {"new x --op mine --task mine", "new: --task or --op, not both"},
      {"new", "DIR is required"}};
  for (const auto& [line, error] : wrong) {
    const Output output = command(line);
    BOOST_TEST(output.status == 2);
    BOOST_TEST(missing(output.errors, {error}) == "", line << ": " << output.errors);
  }
  expect_names(".", {});
  BOOST_TEST(command("new x --op mine").status == 0);
  BOOST_TEST(missing(command("new x --op mine").errors, {"x: the folder isn't empty"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
