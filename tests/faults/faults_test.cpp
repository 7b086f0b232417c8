// Each file system call of a training under its run folder is killed or fails. TAPEHEAD_FAULTS sets
// the number of calls to try per fault, evenly spread; the default is few.
#include "../shared/folders.hpp"
#include "../shared/tiny_run.hpp"

#include <cstring>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(faults, Elsewhere, *boost::unit_test::fixture<InMemory>())

namespace {

namespace fs = std::filesystem;

const TinyRun tiny("--steps 6 --eval-every 2 --keep 1");
const WholeRun& whole_run() {
  static const WholeRun whole(tiny);
  return whole;
}

/// What happens to a call: the process is killed, or the call fails with an error.
struct Fault {
  const char* name;
  int error = 0;              ///< 0: kill
  const char* calls = "all";  ///< affected calls: `all`, `open`, or a call's name
};
const Fault all_faults[] = {
    {"kill"}, {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"EACCES", EACCES, "open"}};

/// Returns the environment that affects the `at`th call under `run`; none if `at` is 0.
Environment disturbed(const Fault& fault, long at) {
  return {{"LD_PRELOAD", built_faults},
          {"ASAN_OPTIONS", "verify_asan_link_order=0"},
          {"TAPEHEAD_FAULT_UNDER", "run"},
          {"TAPEHEAD_FAULT_AT", std::to_string(at)},
          {"TAPEHEAD_FAULT", fault.error == 0 ? "kill" : std::to_string(fault.error)},
          {"TAPEHEAD_FAULT_CALLS", fault.calls},
          {"TAPEHEAD_FAULT_HIT", "hit"},
          {"TAPEHEAD_FAULT_COUNT", "count"}};
}

/// Returns the exit status under a fault, which must have occurred.
int status_under(const Fault& fault, long at, const Words& words) {
  fs::remove("hit");
  const int status = Process(words, RLIM_INFINITY, disturbed(fault, at)).wait();
  BOOST_TEST(contents("hit") == fault.calls, contents("errors"));
  return status;
}

void copy_run(const std::string& from, const std::string& to) {
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

/// Returns the step of the last checkpoint by its link; -1 if there is none.
Index linked_step(const std::string& run) {
  std::error_code ignored;
  const std::string name = fs::read_symlink(run + "/checkpoint", ignored).string();
  return name.empty() ? -1 : std::stoll(name.substr(name.find('-') + 1));
}

/// Expects an error message of one line that names the error and the file.
void expect_one_line(const std::string& errors, const Fault& fault) {
  BOOST_TEST(errors.rfind("tapehead: run", 0) == 0U, errors);
  BOOST_TEST(std::count(errors.begin(), errors.end(), '\n') == 1, errors);
  BOOST_TEST(has(errors, std::strerror(fault.error)), errors);
}

/// A command that starts or resumes a run under faults.
class Disturbed {
 public:
  /// `prepare` creates the command's input.
  Disturbed(Words words, std::function<void()> prepare)
      : words_(std::move(words)), prepare_(std::move(prepare)) {}

  /// Returns the number of calls that can fail.
  long calls(const Fault& fault) const {
    start_over();
    BOOST_TEST_REQUIRE(run({"none", 0, fault.calls}, 0) == 0, contents("errors"));
    return std::stol(contents("count"));
  }
  /// Runs the command with a fault at this call, and then to its end without faults.
  void expect_survives(const Fault& fault, long at) const {
    start_over();
    const Index before = linked_step("run");
    const int status = run(fault, at);
    const std::string errors = contents("errors"), hit = contents("hit");
    BOOST_TEST_CONTEXT(fault.name << " at call " << at << ", " << hit << ": " << errors) {
      BOOST_TEST(hit != "");
      BOOST_TEST((status == (fault.error == 0 ? -1 : 1) || (status == 0 && fault.error != 0)));
      if (status == 1) expect_one_line(errors, fault);
      BOOST_TEST(linked_step("run") >= before);
      BOOST_TEST_REQUIRE(Process(tiny.train("run")).wait() == 0, contents("errors"));
      BOOST_TEST(contents("errors") == "");
      whole_run().expect("run");
      for (const std::string& name : names_in("run")) BOOST_TEST(!has(name, "damaged"), name);
    }
  }

 private:
  void start_over() const {
    for (const char* name : {"run", "hit", "count"}) fs::remove_all(name);
    prepare_();
  }
  int run(const Fault& fault, long at) const {
    return Process(words_, RLIM_INFINITY, disturbed(fault, at)).wait();
  }

  Words words_;
  std::function<void()> prepare_;
};

void try_all(const Disturbed& command) {
  for (const Fault& fault : all_faults) {
    const long calls = command.calls(fault);
    const long tried =
        std::min<long>(calls, count_of("TAPEHEAD_FAULTS", static_cast<int>(repeats(12))));
    for (long i = 0; i < tried; ++i) command.expect_survives(fault, 1 + i * calls / tried);
    BOOST_TEST_MESSAGE(fmt::format("{}: {} of {} calls", fault.name, tried, calls));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_a_run_from_its_beginning) {
  try_all(Disturbed(tiny.beginning("run"), [] {}));
}

BOOST_AUTO_TEST_CASE(a_file_system_without_links_has_files_in_their_place) {
  const Words more = {"train", "--resume", "run", "--steps", "8", "--change", "steps"};
  copy_run(whole_run().path, "run");
  BOOST_TEST_REQUIRE(Process(more).wait() == 0, contents("errors"));
  const Words expected = result_of("run");
  for (const int lack : {EPERM, EOPNOTSUPP, ENOSYS, EPROTO}) {
    const Environment without = disturbed({"no links", lack, "symlink"}, -1);
    const Words resume = {"train", "--resume", "run"};
    fs::remove_all("run");
    BOOST_TEST(Process(tiny.beginning("run"), RLIM_INFINITY, without).wait() == 0);
    BOOST_TEST(contents("errors") == "");
    BOOST_TEST(contents("run/checkpoint") == "step-6\n");
    BOOST_TEST(!fs::exists("run/model.safetensors"));
    BOOST_TEST((contents("run/step-6/model.safetensors") == whole_run().expected[0]));
    BOOST_TEST(Process({"eval", "run", "--checkpoint", "best"}).wait() == 0, contents("errors"));
    BOOST_TEST(Process({"attention", "run"}).wait() == 0, contents("errors"));
    if (lack == EPERM) {  // continues without links
      BOOST_TEST(Process(more, RLIM_INFINITY, without).wait() == 0, contents("errors"));
      BOOST_TEST(contents("run/checkpoint") == "step-8\n");
      BOOST_TEST((contents("run/step-8/model.safetensors") == expected[0]));
    } else {  // is moved to a file system with links
      BOOST_TEST(Process(more).wait() == 0, contents("errors"));
      BOOST_TEST(result_of("run") == expected, boost::test_tools::per_element());
      BOOST_TEST(fs::is_symlink("run/checkpoint"));
    }
  }
}

BOOST_AUTO_TEST_CASE(other_errors_of_links_are_told_as_they_are) {
  BOOST_TEST(status_under({"EIO", EIO, "symlink"}, 1, tiny.beginning("run")) == 1);
  expect_one_line(contents("errors"), {"EIO", EIO});
}

BOOST_AUTO_TEST_CASE(an_interrupted_call_is_made_again) {
  BOOST_TEST(status_under({"EINTR", EINTR, "write"}, 1, tiny.beginning("run")) == 0);
  whole_run().expect("run");
  BOOST_TEST(status_under({"EINTR", EINTR, "pread"}, 1, {"train", "--resume", "run"}) == 0);
  whole_run().expect("run");
}

BOOST_AUTO_TEST_CASE(a_file_system_may_not_know_how_to_sync_a_folder) {
  // The first call is for config.toml's temporary file, the second for the folder of its final
  // name.
  BOOST_TEST(status_under({"EINVAL", EINVAL, "fsync"}, 2, tiny.beginning("run")) == 0);
  whole_run().expect("run");
  fs::remove_all("run");
  BOOST_TEST(status_under({"EIO", EIO, "fsync"}, 2, tiny.beginning("run")) == 1);
  expect_one_line(contents("errors"), {"EIO", EIO});
}

BOOST_AUTO_TEST_CASE(what_a_file_is_must_be_known) {
  const Disturbed beginning(tiny.beginning("run"), [] {});
  const Fault fault{"EIO", EIO, "fstat"};
  BOOST_TEST_REQUIRE(beginning.calls(fault) > 0);
  beginning.expect_survives(fault, 1);
}

BOOST_AUTO_TEST_CASE(a_link_that_cant_be_followed_stays) {
  std::ofstream("there") << "old";
  fs::create_symlink("there", "map.txt");
  Environment environment = disturbed({"EIO", EIO, "realpath"}, 1);
  environment["TAPEHEAD_FAULT_UNDER"] = fs::current_path() / "map.txt";
  const Words attention = {"attention", whole_run().path, "--out", "map.txt"};
  BOOST_TEST(Process(attention, RLIM_INFINITY, environment).wait() == 1);
  BOOST_TEST(contents("errors") == "tapehead: map.txt: Input/output error\n");
  BOOST_TEST(contents("there") == "old");
  BOOST_TEST(Process(attention).wait() == 0, contents("errors"));
  BOOST_TEST(fs::is_symlink("map.txt"));
  BOOST_TEST(has(contents("there"), "layer 0 head 0"));
}

BOOST_AUTO_TEST_CASE(of_a_run_that_is_resumed) {
  const Fault& kill = all_faults[0];
  const long calls = Disturbed(tiny.beginning("run"), [] {}).calls(kill);
  fs::remove_all("run");
  BOOST_TEST(Process(tiny.beginning("run"), RLIM_INFINITY, disturbed(kill, calls * 2 / 3)).wait() ==
             -1);
  fs::rename("run", "killed");
  BOOST_TEST(linked_step("killed") > 0);
  const Disturbed resumed({"train", "--resume", "run"}, [] { copy_run("killed", "run"); });
  try_all(resumed);
  // The first calls look for existing files: an error must not be mistaken for absence.
  for (long at = 1; at <= repeats(20); ++at) resumed.expect_survives({"EIO", EIO}, at);
}

BOOST_AUTO_TEST_SUITE_END()
