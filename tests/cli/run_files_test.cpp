// Checks that a run's data files are found from any directory, and after a move.
#include "../../train/files/files.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(run_files)

namespace {

namespace fs = std::filesystem;

const std::string options =
    " --context 8 --layers 1 --heads 1 --width 8 --batch 8 --steps 4 --eval-every 2 --out ";

/// A run runs/x in a/b/c/here, trained on text.txt. The tests' working directory is
/// a/b/c/elsewhere.
struct OfText : Elsewhere {
  OfText() {
    fs::create_directories("a/b/c/here");
    fs::create_directories("a/b/c/elsewhere");
    fs::current_path("a/b/c/here");
    write_file("text.txt", std::string(300, 'a') + "b" + std::string(40, 'a') + "b");
    done("train text --data text.txt" + options + "runs/x");
    evaluated = done("eval runs/x --json").text;
    fs::current_path("../elsewhere");
  }
  /// Expects the same loss from eval as before the move.
  void expect_found(const std::string& run, const std::string& data = "") const {
    const Output output = done("eval " + run + " --json" + data);
    BOOST_TEST(output.errors == "");
    const auto loss = [](const std::string& text) { return text.substr(text.find("\"loss\"")); };
    BOOST_TEST(loss(output.text) == loss(evaluated));
  }

  std::string evaluated;
};

const std::string run = "../here/runs/x";

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_command_opens_a_run_from_another_directory, OfText) {
  BOOST_TEST(has(read_file(run + "/config.toml"), "\ndata = \"text.txt\"\n"));
  BOOST_TEST(has(read_file(run + "/config.toml"), "/here\"\ndata"));
  expect_found(run);
  for (const std::string command :
       {"attention", "sample --tokens 3", "inspect gradients", "explain", "report", "verify",
        "train --steps 6 --change steps --resume"})
    done(command + " " + run);
  BOOST_TEST(has(read_file(run + "/config.toml"), "/here\"\ndata = \"text.txt\"\n"));
  done("train --config " + run + "/config.toml --steps 2 --out again");
}

BOOST_FIXTURE_TEST_CASE(run_moved_with_its_data_is_opened, OfText) {
  fs::rename("../here", "../there");
  expect_found("../there/runs/x");
  fs::create_directory("alone");
  fs::rename("../there/runs/x", "alone/x");
  for (const std::string place : {"alone/x/text.txt", "alone/text.txt", "text.txt"}) {
    fs::copy_file("../there/text.txt", place);
    fs::rename("../there", "../away");
    expect_found("alone/x");
    fs::rename("../away", "../there");
    fs::remove(place);
  }
}

BOOST_FIXTURE_TEST_CASE(run_without_its_data_says_which_option_to_give, OfText) {
  fs::create_directory("moved");
  fs::rename("../here/text.txt", "moved/other.txt");
  const Output output = command("eval " + run);
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors,
                 "/here/text.txt: No such file or directory; if it has moved, pass its new path "
                 "with --data FILE\n"),
             output.errors);
  const std::string data = " --data moved/other.txt";
  expect_found(run, data);
  for (const std::string command :
       {"attention", "sample --tokens 3", "inspect gradients", "explain", "report", "verify"})
    done(command + " " + run + data);
  // If the contents are equal, no --change is required, and the new path is recorded.
  done("train --resume " + run + " --steps 6 --change steps" + data);
  BOOST_TEST(has(read_file(run + "/config.toml"), "/elsewhere/moved/other.txt\"\n"));
  done("eval " + run);
  expect_refused("explain 'x*x' x=2 --data moved/other.txt",
                 "explain: --prompt, --example, --element and --data need a run, but 'x*x' isn't a "
                 "folder");
}

BOOST_FIXTURE_TEST_CASE(file_given_by_the_user_is_not_searched_for, OfText) {
  write_file("../here/other.txt", std::string(300, 'b') + "a");
  const Output output =
      command("train --resume " + run + " --data other.txt --steps 6 --change data,steps");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors, "/elsewhere/other.txt: No such file or directory"), output.errors);
}

BOOST_FIXTURE_TEST_CASE(file_with_the_recorded_contents_is_preferred, OfText) {
  fs::copy_file("../here/text.txt", "text.txt");
  write_file("../here/text.txt", std::string(300, 'a') + "bb");
  expect_found(run);
  fs::remove("text.txt");
  for (const std::string command : {"eval", "attention", "inspect gradients", "explain"})
    BOOST_TEST(has(done(command + " " + run).errors, "has changed since " + run), command);
  expect_refused("verify " + run, "verify: " + fs::canonical("../here/text.txt").string() +
                                      " has changed since " + run +
                                      " was trained on it; restore it");
}

BOOST_FIXTURE_TEST_CASE(run_of_an_earlier_version_is_opened, OfText) {
  std::string config = read_file(run + "/config.toml");
  const std::size_t at = config.find("working-directory"), end = config.find('\n', at);
  write_file(run + "/config.toml", config.erase(at, end + 1 - at));
  expect_found(run);  // the data file is next to the run
  fs::current_path("../here");
  expect_found("runs/x");
  done("train --resume runs/x --steps 6 --change steps");
}

BOOST_FIXTURE_TEST_CASE(initial_weights_are_found_and_recorded, OfText) {
  fs::current_path("../here");
  done("train text --init runs/x --data text.txt" + options + "runs/y");
  const std::string digests = RunFolder::open("runs/y").last_record().data;
  BOOST_TEST(recorded_digest(digests, "init") == digest_of_file("runs/x/model.safetensors"));
  fs::current_path("../elsewhere");
  done("verify ../here/runs/y");
  done("train --resume " + run + " --steps 6 --change steps");
  expect_refused("verify ../here/runs/y", "verify: ../here/runs/y started from " +
                                              fs::canonical("../here/runs/x").string() +
                                              ", whose weights have changed");
}

BOOST_FIXTURE_TEST_CASE(tasks_without_files_record_no_directory, Elsewhere) {
  done(
      "train copy --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --batch 8 --steps 2 --out "
      "run");
  BOOST_TEST(!has(read_file("run/config.toml"), "working-directory"));
}

BOOST_AUTO_TEST_SUITE_END()
