#include "../../train/runs/labels.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(labels, Elsewhere)

namespace {

LabelChanges named(const std::string& name) {
  LabelChanges changes;
  changes.name = name;
  return changes;
}
LabelChanges tagged(const std::vector<std::string>& tags,
                    const std::vector<std::string>& untags = {}) {
  LabelChanges changes;
  changes.tags = tags;
  changes.untags = untags;
  return changes;
}

constexpr const char* small =
    "train reverse --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --steps 4 --eval-every 2 "
    "--batch 4";

}  // namespace

BOOST_AUTO_TEST_CASE(come_back_as_they_were_written) {
  std::filesystem::create_directory("run");
  BOOST_TEST(read_labels("run").empty());
  RunLabels labels = changed({}, named("größer \"2\""));
  labels.note = "two\nlines";
  labels.tags = {"a", "b"};
  write_labels("run", labels);
  const RunLabels again = read_labels("run");
  BOOST_TEST(again.name == labels.name);
  BOOST_TEST(again.note == labels.note);
  BOOST_TEST(again.tags == labels.tags, per_element());
  expect_names("run", {labels_name});
  write_labels("run", {});  // empty labels need no file
  expect_names("run", {});
  write_labels("run", {});
  std::ofstream("run/labels.json") << "{\"name\": ";
  BOOST_CHECK_EXCEPTION(read_labels("run"), FileError, [](const FileError& error) {
    return std::string(error.what()) ==
           "run/labels.json: expected a JSON object with name, note and tags";
  });
}

BOOST_AUTO_TEST_CASE(tags_are_there_once_and_can_be_taken_away) {
  RunLabels labels = changed({}, tagged({"wide", "old", "wide"}));
  BOOST_TEST(labels.tags == (Words{"wide", "old"}), per_element());
  labels = changed(labels, tagged({"new"}, {"old"}));
  BOOST_TEST(labels.tags == (Words{"wide", "new"}), per_element());
  const auto refused = [&](const LabelChanges& changes, const std::string& text) {
    BOOST_CHECK_EXCEPTION(changed(labels, changes), UsageError, [&](const UsageError& error) {
      BOOST_TEST(error.what() == text);
      return true;
    });
  };
  refused(tagged({}, {"old"}), "--untag old: the run has no such tag; it has wide, new");
  refused(tagged({"two words"}),
          "--tag: expected a tag without spaces and commas, got 'two words'");
  refused(tagged({""}), "--tag: expected a tag without spaces and commas, got ''");
  refused(named("a\nb"), "--name: expected one line without control characters, got 'a↵b'");
  refused(named(std::string(201, 'x')), "--name: 201 bytes, expected at most 200");
  refused(named("\xff"), "--name: not UTF-8 text");
}

BOOST_AUTO_TEST_CASE(labels_dont_affect_results) {
  done(std::string(small) + " --out plain");
  done(std::string(small) + " --out called --name first --note 'what it is' --tag a,b");
  BOOST_TEST(contents("plain/config.toml") == contents("called/config.toml"));
  BOOST_TEST(contents("plain/checkpoint/model.safetensors") ==
             contents("called/checkpoint/model.safetensors"));
  BOOST_TEST(read_labels("called").note == "what it is");
  BOOST_TEST(done("compare plain called").text.find("no difference") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists("plain/labels.json"));
}

BOOST_AUTO_TEST_CASE(are_changed_when_a_run_is_resumed) {
  done(std::string(small) + " --out run --name first --tag a");
  done("train --resume run --steps 6 --change steps --tag b");
  const RunLabels labels = read_labels("run");
  BOOST_TEST(labels.name == "first");
  BOOST_TEST(labels.tags == (Words{"a", "b"}), per_element());
}

BOOST_AUTO_TEST_CASE(invalid_labels_start_no_run) {
  expect_refused(std::string(small) + " --out run --tag 'two words'",
                 "--tag: expected a tag without spaces and commas, got 'two words'");
  BOOST_TEST(!std::filesystem::exists("run"));
}

BOOST_AUTO_TEST_SUITE_END()
