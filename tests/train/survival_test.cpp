// The command is killed at any moment, or runs out of disk space. A resumed run must have the same
// bytes. TAPEHEAD_KILLS and TAPEHEAD_FULL_DISKS set the number of runs, which is small by default.
#include "../../core/random.hpp"
#include "../shared/build.hpp"
#include "../shared/folders.hpp"
#include "../shared/tiny_run.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(survival, Elsewhere, *boost::unit_test::fixture<InMemory>())

namespace {

namespace fs = std::filesystem;
using Clock = Process::Clock;

const TinyRun tiny("--steps 60 --eval-every 5");

/// Returns the complete run. It is trained once, since many tests use it.
const WholeRun& whole_run() {
  static const WholeRun whole(tiny);
  return whole;
}

/// Expects one line about a full disk, with a resume hint if a checkpoint is left.
void expect_no_room(const std::string& errors, const std::string& reason, const std::string& run) {
  BOOST_TEST(errors.rfind("tapehead: ", 0) == 0U, errors);
  BOOST_TEST(std::count(errors.begin(), errors.end(), '\n') == 1, errors);
  BOOST_TEST(has(errors, reason), errors);
  const std::string command = "; free some space, then: tapehead train --resume " + run + "\n";
  BOOST_TEST(has(errors, command) == fs::exists(run), errors);
}

/// A script that trains on a small disk, mounted only in this process's namespace. It writes each
/// command's output to NAME, and its status to NAME.status.
const char* const small_disk = R"(
  say() { name=$1; shift; "$@" >/dev/null 2>$name; echo $? >$name.status; }
  mkdir disk && mount -t tmpfs -o $OPTIONS tmpfs disk || exit 77
  say begun $TAPEHEAD $TRAIN
  if [ -e disk/run ]; then
    say read $TAPEHEAD eval disk/run
    say starved $TAPEHEAD train --resume disk/run
    say read_again $TAPEHEAD eval disk/run
    mount -o remount,size=10m,nr_inodes=1000 disk
    say resumed $TAPEHEAD train --resume disk/run
  else
    mount -o remount,size=10m,nr_inodes=1000 disk
    say resumed $TAPEHEAD $TRAIN
  fi
  cp -a disk/run run
)";

/// Returns a command that allows mounting, if there is one: `unshare -rm`, or as root `unshare -m`.
std::string unshare() {
  for (const std::string how : {"unshare -rm", "unshare -m"})
    if (shell(how + " sh -c 'mkdir -p probe && mount -t tmpfs -o size=64k tmpfs probe && "
                    "mount -o remount,size=1m probe'")
            .status == 0)
      return how;
  return {};
}

void expect_readable(const std::string& name) {
  const std::string errors = contents(name);
  BOOST_TEST(
      (contents(name + ".status") == "0\n" || has(errors, "no checkpoint has been saved yet")),
      errors);
}

}  // namespace

BOOST_AUTO_TEST_CASE(killed_at_any_moment) {
  const WholeRun& whole = whole_run();
  Random random({12, Draw::test});
  int kills = 0;
  for (int i = 0; i < count_of("TAPEHEAD_KILLS", whole_tests ? 6 : 3); ++i) {
    const std::string run = fmt::format("run-{}", i);
    std::optional<int> status;
    for (Index left = 1 + random.below(4); !status; --left) {
      Process process(tiny.train(run));
      if (left == 0)
        status = process.wait();
      else
        status = process.ended_within(
            std::chrono::duration_cast<Clock::duration>(whole.time * random.uniform()));
      kills += !status;
    }
    BOOST_TEST_REQUIRE(*status == 0, contents("errors"));
    whole.expect(run);
    fs::remove_all(run);
  }
  BOOST_TEST_MESSAGE(fmt::format("{} kills", kills));
}

BOOST_AUTO_TEST_CASE(files_may_not_grow) {
  const WholeRun& whole = whole_run();
  Random random({13, Draw::test});
  Index largest = 0;
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "metrics.jsonl"})
    largest = std::max(largest, static_cast<Index>(fs::file_size(whole.path + "/" + name)));
  for (int i = 0; i < count_of("TAPEHEAD_FULL_DISKS", whole_tests ? 4 : 2); ++i) {
    const std::string run = fmt::format("run-{}", i);
    const Index limit = 1000 + random.below(largest - 1200);
    BOOST_TEST_CONTEXT("at most " << limit << " bytes") {
      BOOST_TEST(Process(tiny.train(run), static_cast<rlim_t>(limit)).wait() == 1);
      expect_no_room(contents("errors"), "File too large", run);
      if (fs::exists(run)) {
        const int status = Process({"eval", run}).wait();
        const bool is_saved = fs::exists(run + "/checkpoint");
        BOOST_TEST(status == (is_saved ? 0 : 1), contents("errors"));
        BOOST_TEST(Process(tiny.train(run), static_cast<rlim_t>(limit)).wait() == 1);
        expect_no_room(contents("errors"), "File too large", run);
      }
      BOOST_TEST_REQUIRE(Process(tiny.train(run)).wait() == 0, contents("errors"));
      whole.expect(run);
    }
    fs::remove_all(run);
  }
}

BOOST_AUTO_TEST_CASE(disks_fill_up) {
  const WholeRun& whole = whole_run();
  const std::string how = unshare();
  if (how.empty()) {
    BOOST_TEST_MESSAGE("nothing may be mounted here: full disks are not tried");
    return;
  }
  Random random({14, Draw::test});
  Index kilobytes = 0, inodes = 2;  // final size of the run
  for (const auto& entry : fs::recursive_directory_iterator(whole.path)) {
    ++inodes;
    if (entry.is_regular_file() && !entry.is_symlink())
      kilobytes += 4 * ((static_cast<Index>(entry.file_size()) + 4095) / 4096);
  }
  std::ofstream("small_disk.sh") << small_disk;
  std::string words;
  for (const std::string& word : tiny.beginning("disk/run")) words += word + ' ';
  ::setenv("TRAIN", words.c_str(), 1);
  for (int i = 0; i < count_of("TAPEHEAD_FULL_DISKS", whole_tests ? 4 : 2); ++i) {
    const std::string options = i % 2 == 0
                                    ? fmt::format("size={}k", 8 + random.below(kilobytes - 8))
                                    : fmt::format("nr_inodes={}", 3 + random.below(inodes - 3));
    const std::string folder = fmt::format("disk-{}", i);
    BOOST_TEST_CONTEXT(options) {
      fs::create_directory(folder);
      ::setenv("OPTIONS", options.c_str(), 1);
      const Output output = shell("cd " + folder + " && " + how + " sh ../small_disk.sh");
      BOOST_TEST_REQUIRE(output.status == 0, output.errors);
      fs::current_path(folder);
      BOOST_TEST(contents("begun.status") == "1\n");
      const bool is_left = fs::exists("read");
      BOOST_TEST(has(contents("begun"), "No space left on device"), contents("begun"));
      BOOST_TEST(has(contents("begun"), "; free some space, then: ") == is_left, contents("begun"));
      if (is_left) {
        expect_readable("read");
        BOOST_TEST(contents("starved.status") == "1\n");
        BOOST_TEST(has(contents("starved"), "; free some space, then: "), contents("starved"));
        expect_readable("read_again");
      }
      BOOST_TEST(contents("resumed.status") == "0\n", contents("resumed"));
      whole.expect("run");
      fs::current_path("..");
    }
    fs::remove_all(folder);
  }
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_read_only) {
  const WholeRun& whole = whole_run();
  const std::string how = unshare();
  if (how.empty()) {
    BOOST_TEST_MESSAGE("nothing may be mounted here: a read-only disk is not tried");
    return;
  }
  fs::copy(whole.path, "whole", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const std::string mounted =
      " sh -c 'mount --bind whole whole && mount -o remount,bind,ro whole && ";
  expect_refused(shell(how + mounted + "$TAPEHEAD train --resume whole'"),
                 "whole/lock: Read-only file system; the checkpoint of step 60 is intact; once it "
                 "is writable: tapehead train --resume whole",
                 1);
  const Output read = shell(how + mounted + "$TAPEHEAD eval whole'");
  BOOST_TEST(read.status == 0, read.errors);
}

BOOST_AUTO_TEST_CASE(one_process_trains) {
  Words endless = tiny.beginning("run");
  endless.insert(endless.end(), {"--steps", "100000000"});
  Process process(endless);
  while (!fs::exists("run/checkpoint"))
    BOOST_TEST_REQUIRE(!process.ended_within(std::chrono::milliseconds(1)), contents("errors"));
  expect_refused(shell("$TAPEHEAD train --resume run"), "run: another process is training here", 1);
  BOOST_TEST(shell("$TAPEHEAD eval run").status == 0);
  process.kill();  // ends its lock too
  const Output resumed = shell(fmt::format("$TAPEHEAD train --resume run --steps {} --change steps",
                                           RunFolder::open("run").last_step() + 1));
  BOOST_TEST(resumed.status == 0, resumed.errors);
}

BOOST_AUTO_TEST_SUITE_END()
