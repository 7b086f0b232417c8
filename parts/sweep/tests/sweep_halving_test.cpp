// Tests successive halving, and how a sweep divides the cores.
#include "../../../tests/shared/small_sweep.hpp"
#include "../../../tests/shared/support.hpp"
#include "../halving.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep_halving)

namespace {

std::string shown(const std::vector<Rung>& all) {
  std::string text;
  for (const Rung& rung : all) text += fmt::format("{}:{} ", rung.combinations, rung.until);
  return text;
}

/// A grid in which larger rates learn more in a few steps.
const std::vector<std::string> grid = {"--grid", "lr=1e-4,3e-4,1e-3,1e-2", "--halving", "2"};

}  // namespace

BOOST_AUTO_TEST_CASE(stages_of_halving) {
  BOOST_TEST(shown(rungs(9, 3, 90)) == "9:10 3:30 1:90 ");
  BOOST_TEST(shown(rungs(10, 3, 100)) == "10:12 3:34 1:100 ");
  BOOST_TEST(shown(rungs(5, 2, 60)) == "5:15 2:30 1:60 ");
  BOOST_TEST(shown(rungs(2, 2, 1)) == "2:1 1:1 ");
  expect_error<UsageError>([] { rungs(4, 1, 10); }, "--halving must be at least 2, not 1");
  expect_error<UsageError>([] { rungs(2, 3, 10); },
                           "--halving 3 needs at least 3 combinations, got 2");
}

/// The run that reaches the end is bitwise identical to a run that was never compared with others.
BOOST_AUTO_TEST_CASE(the_best_continues) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), whole = scratch.file("whole");
  const Output output = small_sweep(out, grid);
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(
      missing(output.text, {"4 of 4 up to step 1: lr=1e-2,seed=0\n",
                            "2 of 2 up to step 2: lr=1e-2,seed=0\n", "1 of 1: lr=1e-2,seed=0\n",
                            "stopped at 1\n", "stopped at 2\n", "best: lr 1e-2\n"}) == "");
  BOOST_TEST(small_sweep(whole, {"--grid", "lr=1e-2"}).status == 0);
  for (const char* file : {"model.safetensors", "config.toml"})
    BOOST_TEST(contents(out + "/lr=1e-2,seed=0/" + file) ==
               contents(whole + "/lr=1e-2,seed=0/" + file));
  // Repeating the command trains nothing and gives the same result.
  const std::string reached = contents(out + "/halving.json");
  BOOST_TEST(small_sweep(out, grid).text == output.text);
  BOOST_TEST(contents(out + "/halving.json") == reached);
}

BOOST_AUTO_TEST_CASE(refuses_runs_that_trained_longer) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  BOOST_TEST(small_sweep(out, {"--grid", "lr=1e-3"}).status == 0);
  expect_refused(small_sweep(out, {"--grid", "lr=1e-3,1e-2", "--halving", "2", "--json"}),
                 out +
                     "/lr=1e-3,seed=0 has trained for 4 steps, but --halving compares runs after 2 "
                     "steps; choose another --out");
  expect_refused(small_sweep(scratch.file("b"), {"--grid", "steps=1,2", "--halving", "2"}),
                 "--grid steps=1,2: --halving needs the same number of steps for all runs");
}

BOOST_AUTO_TEST_CASE(a_damaged_record) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  std::filesystem::create_directory(out);
  scratch.write("all/halving.json", "[1]");
  expect_refused(small_sweep(out, grid),
                 out +
                     "/halving.json: damaged; delete it and choose another --out to start the "
                     "runs again",
                 1);
}

BOOST_AUTO_TEST_CASE(shares_of_the_cores) {
  std::vector<SweepRun> runs(3);
  runs[1].need = {2, 4e9};
  const MemoryLimit plenty{1e12, "this machine has"}, little{9e9, "this machine has"};
  const auto share = [&](Index asked, int cores, const MemoryLimit& limit) {
    const Shares shares = share_cores(asked, runs, cores, limit);
    return fmt::format("{}x{}", shares.jobs, shares.threads);
  };
  BOOST_TEST(share(0, 16, plenty) == "3x5");  // there are only three runs
  BOOST_TEST(share(0, 4, plenty) == "2x2");
  BOOST_TEST(share(0, 3, plenty) == "1x3");
  BOOST_TEST(share(0, 1, plenty) == "1x1");
  BOOST_TEST(share(0, 16, little) == "2x8");
  // The memory is too small even for one run, which then refuses to start.
  BOOST_TEST(share(0, 16, {1e9, "this machine has"}) == "1x16");
  BOOST_TEST(share(2, 1, plenty) == "2x1");
  BOOST_TEST(share(8, 4, {infinity, "this machine has"}) == "3x1");
  expect_error<UsageError>([&] { share(3, 4, little); },
                           "--jobs 3: 3 parallel runs need 12 GB, but this machine has 9 GB; use "
                           "--jobs 2");
}

BOOST_AUTO_TEST_SUITE_END()
