// The command is killed at any moment, and starved of room: resumed, a run comes to the same bytes.
// TAPEHEAD_KILLS and TAPEHEAD_FULL_DISKS say how many runs are tried: few, unless asked.
#include "../../core/random.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

using namespace tapehead;

namespace {

/// Files are in memory, where there is such a place and no other is asked for: what a disk has
/// still to sync, a kill doesn't take back.
class InMemory {
 public:
  InMemory() {
    std::error_code ignored;
    is_set_ = !std::getenv("TMPDIR") && std::filesystem::is_directory("/dev/shm", ignored);
    if (is_set_) ::setenv("TMPDIR", "/dev/shm", 1);
  }
  ~InMemory() {
    if (is_set_) ::unsetenv("TMPDIR");
  }

 private:
  bool is_set_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(survival, Elsewhere, *boost::unit_test::fixture<InMemory>())

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// A run of a text, whose rate is so high that its best checkpoint isn't always the last.
Words beginning(const std::string& run) {
  static const Scratch scratch;
  static const std::string file = [&] {
    std::string text;
    for (int i = 0; i < 12; ++i) text += fmt::format("a rose is a rose, and {} are {}\n", i, i * i);
    return scratch.write("text.txt", text);
  }();
  return words_of("train text --data " + file +
                  " --context 8 --layers 1 --heads 2 --width 8 --batch 8 --lr 0.1 --steps 60 "
                  "--eval-every 5 --threads 1 --out " +
                  run);
}
/// Begins it, or goes on with it.
Words train(const std::string& run) {
  if (fs::exists(run + "/config.toml")) return {"train", "--resume", run};
  return beginning(run);
}

int count_of(const char* variable, int by_default) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : by_default;
}

/// The command in a process of its own. What it prints is dropped; its errors go to a file.
class Process {
 public:
  explicit Process(Words words, rlim_t largest_file = RLIM_INFINITY) {
    words.insert(words.begin(), "tapehead");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    id_ = ::fork();
    if (id_ != 0) return;
    if (!lead(STDOUT_FILENO, "/dev/null") || !lead(STDERR_FILENO, "errors")) ::_exit(99);
    const rlimit limit{largest_file, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(99);
    std::signal(SIGXFSZ, SIG_IGN);  // so that a write fails, as on a full disk
    ::execv(built_command, argv.data());
    ::_exit(99);
  }
  ~Process() {
    if (id_ > 0) kill();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int wait() {
    int status = 0;
    ::waitpid(std::exchange(id_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// How it ended, if it did so in time.
  std::optional<int> ended_within(Clock::duration time) {
    for (const auto end = Clock::now() + time;; std::this_thread::sleep_for(step)) {
      int status = 0;
      if (::waitpid(id_, &status, WNOHANG) != 0) {
        id_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      if (Clock::now() >= end) return {};
    }
  }
  void kill() {
    ::kill(id_, SIGKILL);
    wait();
  }

 private:
  /// Not by way of stdio, whose buffers are still those of the test.
  static bool lead(int stream, const char* path) {
    const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return file >= 0 && ::dup2(file, stream) >= 0;
  }

  static constexpr std::chrono::microseconds step{200};
  pid_t id_ = 0;
};

/// All bytes that a run comes to, but for the times.
Words result(const std::string& run) {
  Words all;
  for (const char* name : {"model", "optimizer", "best/model", "best/optimizer"}) {
    all.push_back(contents(fmt::format("{}/{}.safetensors", run, name)));
    BOOST_TEST(!all.back().empty(), name);
  }
  std::istringstream lines(contents(run + "/metrics.jsonl"));
  for (std::string line; std::getline(lines, line);)
    all.push_back(line.substr(0, line.find(",\"time\":")));
  return all;
}

/// A run that nothing has befallen.
struct Whole {
  Whole() : path(scratch.file("run")) {
    for (int i = 0; i < 3; ++i) {
      fs::remove_all(path);
      const auto start = Clock::now();
      Process process(beginning(path));
      BOOST_TEST_REQUIRE(process.wait() == 0, contents("errors"));
      time = std::min<Clock::duration>(time, Clock::now() - start);
    }
    expected = result(path);
  }
  /// Which that of another must equal.
  void expect(const std::string& run) const {
    const Words found = result(run);
    BOOST_TEST_REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) BOOST_TEST((found[i] == expected[i]), i);
  }

  Scratch scratch;
  std::string path;
  Clock::duration time = std::chrono::hours(1);  // the least of some
  Words expected;
};
/// Made once. The working folder is the caller's, who has an empty one.
const Whole& whole_run() {
  static const Whole whole;
  return whole;
}

/// What a run prints that can't be written for want of room: one line, which says how to go on
/// where a checkpoint is left.
void expect_no_room(const std::string& errors, const std::string& reason, const std::string& run) {
  BOOST_TEST(errors.rfind("tapehead: ", 0) == 0U, errors);
  BOOST_TEST(std::count(errors.begin(), errors.end(), '\n') == 1, errors);
  BOOST_TEST(has(errors, reason), errors);
  const std::string command = "; free some space, then: tapehead train --resume " + run + "\n";
  BOOST_TEST(has(errors, command) == fs::exists(run), errors);
}

/// A run on a disk that is too small, which is there in this process's sight of the file system
/// alone. It writes what each command printed to NAME, and its status to NAME.status.
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

/// What lets a process mount, if anything does: `unshare -rm`, or as root `unshare -m`.
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
  const Whole& whole = whole_run();
  Random random({12, Draw::test});
  int kills = 0;
  for (int i = 0; i < count_of("TAPEHEAD_KILLS", 6); ++i) {
    const std::string run = fmt::format("run-{}", i);
    std::optional<int> status;
    for (Index left = 1 + random.below(4); !status; --left) {
      Process process(train(run));
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
  const Whole& whole = whole_run();
  Random random({13, Draw::test});
  Index largest = 0;
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "metrics.jsonl"})
    largest = std::max(largest, static_cast<Index>(fs::file_size(whole.path + "/" + name)));
  for (int i = 0; i < count_of("TAPEHEAD_FULL_DISKS", 4); ++i) {
    const std::string run = fmt::format("run-{}", i);
    const Index limit = 1000 + random.below(largest - 1200);
    BOOST_TEST_CONTEXT("at most " << limit << " bytes") {
      BOOST_TEST(Process(train(run), static_cast<rlim_t>(limit)).wait() == 1);
      expect_no_room(contents("errors"), "File too large", run);
      if (fs::exists(run)) {
        const int status = Process({"eval", run}).wait();
        const bool is_saved = fs::exists(run + "/checkpoint");
        BOOST_TEST(status == (is_saved ? 0 : 1), contents("errors"));
        BOOST_TEST(Process(train(run), static_cast<rlim_t>(limit)).wait() == 1);
        expect_no_room(contents("errors"), "File too large", run);
      }
      BOOST_TEST_REQUIRE(Process(train(run)).wait() == 0, contents("errors"));
      whole.expect(run);
    }
    fs::remove_all(run);
  }
}

BOOST_AUTO_TEST_CASE(disks_fill_up) {
  const Whole& whole = whole_run();
  const std::string how = unshare();
  if (how.empty()) {
    BOOST_TEST_MESSAGE("nothing may be mounted here: full disks are not tried");
    return;
  }
  Random random({14, Draw::test});
  Index kilobytes = 0, inodes = 2;  // that the whole run takes in the end
  for (const auto& entry : fs::recursive_directory_iterator(whole.path)) {
    ++inodes;
    if (entry.is_regular_file() && !entry.is_symlink())
      kilobytes += 4 * ((static_cast<Index>(entry.file_size()) + 4095) / 4096);
  }
  std::ofstream("small_disk.sh") << small_disk;
  std::string words;
  for (const std::string& word : beginning("disk/run")) words += word + ' ';
  ::setenv("TRAIN", words.c_str(), 1);
  for (int i = 0; i < count_of("TAPEHEAD_FULL_DISKS", 4); ++i) {
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
  const Whole& whole = whole_run();
  const std::string how = unshare();
  if (how.empty()) {
    BOOST_TEST_MESSAGE("nothing may be mounted here: a read-only disk is not tried");
    return;
  }
  fs::copy(whole.path, "whole", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const std::string mounted =
      " sh -c 'mount --bind whole whole && mount -o remount,bind,ro whole && ";
  expect_refused(
      shell(how + mounted + "$TAPEHEAD train --resume whole'"),
      "whole/lock: Read-only file system; the checkpoint of step 60 is intact; once that "
      "can be written: tapehead train --resume whole",
      1);
  const Output read = shell(how + mounted + "$TAPEHEAD eval whole'");
  BOOST_TEST(read.status == 0, read.errors);
}

BOOST_AUTO_TEST_CASE(one_process_trains) {
  Words endless = train("run");
  endless.insert(endless.end(), {"--steps", "100000000"});
  Process process(endless);
  while (!fs::exists("run/checkpoint"))
    BOOST_TEST_REQUIRE(!process.ended_within(std::chrono::milliseconds(1)), contents("errors"));
  expect_refused(shell("$TAPEHEAD train --resume run"), "run: another process is training here", 1);
  BOOST_TEST(shell("$TAPEHEAD eval run").status == 0);
  process.kill();  // and the lock goes with it
  const Output resumed = shell("$TAPEHEAD train --resume run --until loss=100 --change until");
  BOOST_TEST(resumed.status == 0, resumed.errors);
  BOOST_TEST(has(resumed.text, "--until loss=100 was reached at step "), resumed.text);
}

BOOST_AUTO_TEST_SUITE_END()
