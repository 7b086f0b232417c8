#include "../../train/files/files.hpp"
#include "../shared/toy_run.hpp"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

namespace tapehead {
BOOST_FIXTURE_TEST_SUITE(run_folder_crash, Elsewhere)

namespace {

namespace fs = std::filesystem;

constexpr Index width = 3000;

/// A process that runs until it is ended.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) {
    id_ = ::fork();
    if (id_ != 0) return;
    try {
      work();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  ~Child() {
    if (id_ > 0) kill();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() {
    ::kill(id_, SIGKILL);
    ::waitpid(std::exchange(id_, 0), nullptr, 0);
  }
  /// Returns the exit status if the process has ended.
  std::optional<int> ended() {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == 0) return {};
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t id_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_kill_at_any_moment_leaves_a_complete_checkpoint) {
  using Clock = std::chrono::steady_clock;
  make_run("runs/x");
  save(RunFolder::resume("runs/x"), 0, width);
  Random random({11, Draw::test});
  Index last = 0;
  for (int i = 0; i < 20; ++i) {
    const fs::path before = fs::read_symlink("runs/x/checkpoint");
    const auto start = Clock::now();
    Child child([&] {
      const RunFolder folder = RunFolder::resume("runs/x");
      for (Index step = last + 1;; ++step) {
        folder.append_metrics(fmt::format(R"({{"step":{}}})", step));
        save(folder, step, width);
        save(folder, step, width);
      }
    });
    // The child saves once, and is then killed during a later save.
    while (fs::read_symlink("runs/x/checkpoint") == before) {
      BOOST_TEST_REQUIRE(!child.ended());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    std::this_thread::sleep_for((Clock::now() - start) * (2 * random.uniform()));
    BOOST_TEST_REQUIRE(!child.ended());
    child.kill();

    // The child's lock was released when it ended.
    const RunFolder folder = RunFolder::resume("runs/x");
    const Index step = load(folder, width);
    BOOST_TEST(step > last);
    folder.rewind_metrics(step);
    BOOST_TEST(folder.read_metrics().size() == static_cast<std::size_t>(step));
    // The folder has one to three checkpoints, among them the newest.
    const Names names = names_in("runs/x"), known = with(saved_names, "metrics.jsonl");
    BOOST_TEST(std::includes(names.begin(), names.end(), known.begin(), known.end()));
    BOOST_TEST(names.count(fs::read_symlink("runs/x/checkpoint").string()) == 1U);
    BOOST_TEST(names.size() >= known.size() + 1);
    BOOST_TEST(names.size() <= known.size() + 3);
    // The next complete save removes leftovers of the crash.
    last = step + 1;
    folder.append_metrics(fmt::format(R"({{"step":{}}})", last));
    save(folder, last, width);
    BOOST_TEST(names_in("runs/x").size() == known.size() + 2);
  }
}

BOOST_AUTO_TEST_CASE(a_reader_never_sees_an_incomplete_checkpoint) {
  make_run("runs/x");
  save(RunFolder::resume("runs/x"), 1, width);
  Child child([] {
    const RunFolder folder = RunFolder::resume("runs/x");
    for (Index step = 1; step < 50; ++step) save(folder, step, width);
  });
  const RunFolder folder = RunFolder::open("runs/x");
  std::optional<int> ended;
  for (Index last = 0; !ended;) {
    ended = child.ended();
    const Index step = load(folder, width);
    BOOST_TEST_REQUIRE(step >= last);
    last = step;
  }
  BOOST_TEST(*ended == 0);
  BOOST_TEST(load(folder, width) == 49);
}

// The trainer replaces a checkpoint between the reads of its two files.
BOOST_AUTO_TEST_CASE(a_reader_begins_again_with_the_new_checkpoint) {
  struct Interrupted : ToyModel {
    using ToyModel::ToyModel;
    void visit(Visitor& v) override {
      if (then) std::exchange(then, nullptr)();
      ToyModel::visit(v);
    }
    std::function<void()> then;
  };
  make_run("runs/x");
  for (Index step : {1, 2}) save(RunFolder::resume("runs/x"), step);
  replace_link("runs/x/checkpoint", "step-1");
  Interrupted model(-1);
  ToyOptimizer optimizer(model, -1);
  bool replaced = false;
  model.then = [&] {
    replace_link("runs/x/checkpoint", "step-2");
    fs::remove_all("runs/x/step-1");
    replaced = true;
  };
  const RunFolder folder =
      RunFolder::open("runs/x", [](const std::string& line) { BOOST_ERROR(line); });
  BOOST_TEST(folder.load(model, &optimizer) == 2);
  BOOST_TEST(replaced);
  BOOST_TEST(all_are(model, optimizer, 2));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead
