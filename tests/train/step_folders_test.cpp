#include "../../train/runs/step_folders.hpp"
#include "../shared/folders.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(step_folders)

BOOST_AUTO_TEST_CASE(a_name_has_the_step) {
  for (const char* name :
       {"step-0", "step-500", "step-4294967295", "step-7-again", "step-7-again-again-again"}) {
    const auto folder = step_folder(name);
    BOOST_TEST_REQUIRE(folder.has_value(), name);
    BOOST_TEST(folder->name() == name);
  }
  BOOST_TEST(step_folder("step-7-again-again")->step == 7);
  BOOST_TEST(step_folder("step-7-again-again")->again == 2);
}

BOOST_AUTO_TEST_CASE(other_names_are_none) {
  for (const char* name : {"", "step", "step-", "step--1", "step-+1", "step-1 ", "step-01",
                           "step-5-best", "step-5-agai", "step-5-again-", "step-5again",
                           "stepping-5", "a step-5", "step.draft", "step-99999999999999999999"})
    BOOST_TEST(!step_folder(name), name);
}

BOOST_AUTO_TEST_CASE(the_newest_comes_first) {
  const Scratch scratch;
  for (const char* name : {"step-9", "step-10", "step-10-again", "step-100", "notes", "step-1x"})
    std::filesystem::create_directory(scratch.file(name));
  std::vector<std::string> names;
  for (const StepFolder& folder : tapehead::step_folders(scratch.file("")))
    names.push_back(folder.name());
  const std::vector<std::string> expected = {"step-100", "step-10-again", "step-10", "step-9"};
  BOOST_TEST(names == expected, per_element());
  EXPECT_ERROR(FileError, tapehead::step_folders(scratch.file("none")),
               scratch.file("none") + ": No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
