// Checks that each exercise accepts its solution and finds typical mistakes in the right part.
// variants.cpp.in compiles the variants once.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/support.hpp"
#include "../exercises.hpp"
#include "variants.hpp"

#include <map>
#include <regex>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(learn_exercises)

namespace {

const std::vector<std::uint64_t> students = {0, 17, 4711};

std::string source_of(const Variant& variant) {
  return contents(std::string(source_dir) + "/parts/learn/tests/answers/" + variant.folder + "/" +
                  variant.file);
}
bool is_wrong(const Variant& variant) { return variant.file.rfind("wrong-", 0) == 0; }

/// Returns the first part that isn't right; its state is empty if there is none.
FoundPart first_wrong(const Variant& variant, std::uint64_t student) {
  for (const FoundPart& part : variant.check(student))
    if (part.state != "right") return part;
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(solutions_are_right) {
  int solved = 0;
  for (const Variant& variant : variants()) {
    if (variant.file != "solution.cpp") continue;
    ++solved;
    for (const std::uint64_t student : students) {
      const std::vector<FoundPart> parts = variant.check(student);
      BOOST_TEST(parts.size() >= 2u);
      for (const FoundPart& part : parts)
        BOOST_TEST(part.state == "right", variant.folder << " of " << student << ", " << part.name
                                                         << ": " << part.where << part.note);
    }
  }
  BOOST_TEST(solved == static_cast<int>(exercises().size()));
}

BOOST_AUTO_TEST_CASE(holes_are_not_done) {
  for (const Variant& variant : variants()) {
    if (variant.file != "exercise.cpp") continue;
    for (const FoundPart& part : variant.check(17))
      BOOST_TEST(part.state == "not done", variant.folder << ", " << part.name << part.note);
  }
}

BOOST_AUTO_TEST_CASE(finds_mistakes_in_their_part) {
  std::map<std::string, int> mistakes;
  for (const Variant& variant : variants()) {
    if (!is_wrong(variant)) continue;
    ++mistakes[variant.folder];
    const std::string source = source_of(variant);
    std::smatch part;
    BOOST_TEST_REQUIRE(std::regex_search(source, part, std::regex("\nFound in: (.*)\n")));
    for (const std::uint64_t student : students) {
      const FoundPart found = first_wrong(variant, student);
      BOOST_TEST(found.name == part.str(1), variant.folder << "/" << variant.file << " of "
                                                           << student << " is found in '"
                                                           << found.name << "': " << found.note);
      BOOST_TEST((!found.where.empty() || !found.note.empty()));
    }
  }
  for (const Exercise& exercise : exercises())
    BOOST_TEST(mistakes[fmt::format("{:02}-{}", exercise.number, exercise.name)] >= 3,
               exercise.name);
}

// Hints are found by the name of their part, so a renamed part would lose its hints.
BOOST_AUTO_TEST_CASE(every_part_has_hints) {
  for (const Variant& variant : variants()) {
    if (variant.file != "solution.cpp") continue;
    const Exercise& exercise = find_exercise(variant.folder.substr(3));
    for (const FoundPart& part : variant.check(0))
      BOOST_TEST(hints_for(exercise, part.name).size() >= 2u, variant.folder << ", " << part.name);
  }
}

BOOST_AUTO_TEST_CASE(texts_name_every_part_and_have_student_numbers) {
  for (const Variant& variant : variants()) {
    if (variant.file != "solution.cpp") continue;
    const Exercise& exercise = find_exercise(variant.folder.substr(3));
    const std::string text = exercise_text(exercise, "exercise.md", 17, "here");
    for (const FoundPart& part : variant.check(0))
      BOOST_TEST(has(text, ". " + part.name + ": "), variant.folder << ", " << part.name);
    BOOST_TEST(has(text, "tapehead learn check here"));
    BOOST_TEST(!has(text, "Hints"), variant.folder);
    const std::regex leftover("@[a-z0-9_]+@");
    BOOST_TEST(!std::regex_search(text, leftover), variant.folder);
    const bool numbered =
        std::regex_search(source_of(variant), std::regex("(given|whole|size)\\([0-9]"));
    BOOST_TEST((text != exercise_text(exercise, "exercise.md", 18, "here")) == numbered,
               variant.folder);
  }
}

BOOST_AUTO_TEST_SUITE_END()
