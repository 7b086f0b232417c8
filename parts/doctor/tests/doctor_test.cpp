#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../part.hpp"

#include <cerrno>
#include <map>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(doctor, Elsewhere)

namespace {

namespace fs = std::filesystem;

/// A variable of the environment has another value while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

/// What `doctor --json` finds, by its name.
std::map<std::string, json> found_by(const Output& output) {
  std::map<std::string, json> found;
  const json document = parsed(output.text);
  for (const json& each : document["checks"]) found[each["check"]] = each;
  return found;
}
json found(const std::string& check, const std::string& line = "doctor --json") {
  return found_by(command(line)).at(check);
}

void expect_state(const json& finding, const std::string& state, const std::string& text,
                  const std::string& remedy = "") {
  BOOST_TEST(finding["state"] == state, finding.dump());
  BOOST_TEST(has(finding["text"], text), finding.dump());
  BOOST_TEST(has(finding.value("remedy", ""), remedy), finding.dump());
  BOOST_TEST((state == "fine") == !finding.contains("remedy"), finding.dump());
}

/// What the command finds in `runs` where a call of the system fails each time, or at one time.
Output where_fails(const char* call, int error, int at = -1) {
  return shell(
      fmt::format("LD_PRELOAD={} ASAN_OPTIONS=verify_asan_link_order=0 "
                  "TAPEHEAD_FAULT_UNDER=runs TAPEHEAD_FAULT_AT={} TAPEHEAD_FAULT={} "
                  "TAPEHEAD_FAULT_CALLS={} $TAPEHEAD doctor --json",
                  built_faults, at, error, call));
}

/// A folder that is the whole path, with these programs, each of a shell's lines.
Variable only(const std::map<std::string, std::string>& programs) {
  fs::create_directory("bin");
  for (const auto& [name, lines] : programs) {
    std::ofstream("bin/" + name) << "#!/bin/sh\n" << lines;
    fs::permissions("bin/" + name, fs::perms(0755));
  }
  return {"PATH", fs::absolute("bin")};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_for_each_check_and_nothing_is_left) {
  const Variable locale("LC_ALL", "C.UTF-8");
  const Output output = done("doctor");
  expect_plain(output.text);
  for (const char* line :
       {"version    fine     " TAPEHEAD_VERSION ", compiled by ", "level      fine     ",
        "threads    fine     ", "memory     fine     ",
        "runs       fine     runs can be made and written, with room for ", "links      fine     ",
        "locks      fine     ", "replacing  fine     ", "terminal   fine     80 columns, "})
    BOOST_TEST(has("\n" + output.text, std::string("\n") + line), line << "\n" << output.text);
  expect_names(".", {});
  fs::create_directory("runs");
  BOOST_TEST(has(done("doctor").text, "runs can be written"));
  expect_names("runs", {});
}

BOOST_AUTO_TEST_CASE(the_level_is_one_of_those_that_were_built) {
  const std::string text = found("level")["text"], level = text.substr(0, text.find(' '));
  BOOST_TEST(has(text.substr(text.find("built are ")), level), text);
  const Output lower = shell("TAPEHEAD_ISA=" + level + " $TAPEHEAD doctor --json");
  BOOST_TEST(has(lower.text, level + " computes, as TAPEHEAD_ISA says"), lower.text);
  const Output broken = shell("TAPEHEAD_ISA=avx9 $TAPEHEAD doctor");
  BOOST_TEST(broken.status == 2);
  BOOST_TEST(broken.text == "");
  BOOST_TEST(has(broken.errors, "tapehead: TAPEHEAD_ISA: 'avx9'; expected one of "));
  BOOST_TEST(lines_of(broken.errors).size() == 1U, broken.errors);
}

BOOST_AUTO_TEST_CASE(where_nothing_can_be_written_nothing_can_be_trained) {
  fs::create_directory("closed");
  {
    const ReadOnlyFolder closed("closed");
    for (const char* folder : {"closed", "closed/runs"}) {
      const Output output = command({"doctor", folder, "--json"});
      BOOST_TEST(output.status == 1);
      BOOST_TEST(parsed(output.text)["ready"] == false);
      expect_state(found_by(output).at("runs"), "wrong",
                   std::string(folder) + ": Permission denied",
                   "choose another folder: train --out FOLDER/NAME");
      BOOST_TEST(found_by(output).count("links") == 0U);
    }
  }
  std::ofstream("file") << "";
  const Output output = command("doctor file");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(missing(output.text, {"file: Not a directory; choose another folder: ",
                                   "Nothing can be trained so"}) == "");
  expect_refused("doctor a b", "doctor: unexpected 'b'");
  expect_refused(command({"doctor", ""}), "doctor: FOLDER is empty; name one, such as runs");
}

BOOST_AUTO_TEST_CASE(a_full_disk) {
  const Output output = where_fails("write", ENOSPC);
  BOOST_TEST(output.status == 1);
  expect_state(found_by(output).at("runs"), "wrong", "runs: No space left on device",
               "choose another folder");
  expect_names(".", {});
}

BOOST_AUTO_TEST_CASE(a_folder_that_lacks_something) {
  Output output = where_fails("symlink", EPERM);
  BOOST_TEST(output.status == 0, output.errors);
  expect_state(found_by(output).at("links"), "fine",
               "no symbolic links (Operation not permitted), and a run goes without");
  output = where_fails("flock", ENOLCK);
  BOOST_TEST(output.status == 1);
  expect_state(found_by(output).at("locks"), "wrong", "can't be locked: No locks available",
               "choose another folder");
  output = where_fails("flock", EWOULDBLOCK);
  expect_state(found_by(output).at("locks"), "wrong", "a new file is locked already", "choose");
  output = where_fails("rename", EBUSY, 3);  // the first two are of the file and the link
  BOOST_TEST(output.status == 0);
  expect_state(found_by(output).at("replacing"), "missing", "replaced once nobody reads it",
               "read a run while it isn't training");
  expect_names(".", {});
}

BOOST_AUTO_TEST_CASE(programs_that_are_missing_and_what_brings_them) {
  Output output;
  {
    const Variable path = only({});
    output = command("doctor --json");
  }
  BOOST_TEST(output.status == 0);
  std::map<std::string, json> findings = found_by(output);
  expect_state(findings.at("compiler"), "missing", "no c++, cmake, make, for programs of your own",
               "install g++ cmake make");
  expect_state(findings.at("python"), "missing", "no python3", "install python3 python3-numpy");
  expect_state(findings.at("ranks"), "missing", "no mpirun, for training by several",
               "openmpi-bin");
  {
    const Variable path = only({{"apt-get", ""},
                                {"clang++", ""},
                                {"ninja", ""},
                                {"srun", ""},
                                {"python3", "echo no numpy\n"}});
    findings = found_by(command("doctor --json"));
    std::ofstream("bin/python3") << "#!/bin/sh\necho no tapehead\n";
    expect_state(found_by(command("doctor --json")).at("python"), "missing", "no package tapehead",
                 "pip install ./parts/python");
    std::ofstream("bin/python3") << "#!/bin/sh\nexit 1\n";
    expect_state(found_by(command("doctor --json")).at("python"), "missing", "doesn't run",
                 "python3");
    std::ofstream("bin/python3") << "#!/bin/sh\n";
    expect_state(found_by(command("doctor --json")).at("python"), "fine",
                 "python3 with numpy and tapehead");
  }
  expect_state(findings.at("compiler"), "missing", "no cmake, for", "apt-get install cmake");
  expect_state(findings.at("python"), "missing", "no numpy", "apt-get install python3-numpy");
  expect_state(findings.at("ranks"), "fine", "srun, for training by several processes");
}

BOOST_AUTO_TEST_CASE(an_encoding_other_than_utf8) {
  const Variable all("LC_ALL", "C"), type("LC_CTYPE", "de_DE.utf8"), lang("LANG", "");
  expect_state(found("terminal"), "missing", "LC_ALL is C", "export LC_ALL=C.UTF-8");
  ::setenv("LC_ALL", "", 1);
  expect_state(found("terminal"), "fine", "UTF-8");
  ::setenv("LC_CTYPE", "", 1);
  expect_state(found("terminal"), "missing", "LANG is not set", "export LC_CTYPE=C.UTF-8");
}

BOOST_AUTO_TEST_CASE(parts_of_a_build) {
  BOOST_TEST(has(found("parts")["text"], "doctor"));
  Registry own = Registry::standard();
  add_doctor(own);
  BOOST_TEST(!has(command("doctor", own).text, "parts "));
  own.extend(PartsOfBuild{{"doctor", "zoo"}, {{"ranks", "the package libopenmpi-dev"}}});
  expect_state(found_by(command("doctor --json", own)).at("parts"), "missing",
               "doctor, zoo; left out: ranks, which needs the package libopenmpi-dev",
               "build again");
}

BOOST_AUTO_TEST_SUITE_END()
