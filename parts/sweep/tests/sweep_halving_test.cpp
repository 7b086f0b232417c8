// Successive halving, and how a sweep shares the cores.
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

/// Learning rates of which the larger ones learn more in a few steps.
const std::vector<std::string> grid = {"--grid", "lr=1e-4,3e-4,1e-3,1e-2", "--halving", "2"};

}  // namespace

BOOST_AUTO_TEST_CASE(how_many_go_how_far) {
  BOOST_TEST(shown(rungs(9, 3, 90)) == "9:10 3:30 1:90 ");
  BOOST_TEST(shown(rungs(10, 3, 100)) == "10:12 3:34 1:100 ");
  BOOST_TEST(shown(rungs(5, 2, 60)) == "5:15 2:30 1:60 ");
  BOOST_TEST(shown(rungs(2, 2, 1)) == "2:1 1:1 ");
  expect_error<UsageError>([] { rungs(4, 1, 10); }, "--halving must be at least 2, not 1");
  expect_error<UsageError>([] { rungs(2, 3, 10); },
                           "--halving 3 needs at least 3 combinations, got 2");
}

/// The one that went to its end has the bits of a run that was never compared.
BOOST_AUTO_TEST_CASE(the_best_goes_on) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), whole = scratch.file("whole");
  const Output output = small_sweep(out, grid);
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(
      missing(output.text, {"4 of 4 up to step 1: lr=1e-2,seed=0\n",
                            "2 of 2 up to step 2: lr=1e-2,seed=0\n", "1 of 1: lr=1e-2,seed=0\n",
                            "given up at 1\n", "given up at 2\n", "best: lr 1e-2\n"}) == "");
  BOOST_TEST(small_sweep(whole, {"--grid", "lr=1e-2"}).status == 0);
  for (const char* file : {"model.safetensors", "config.toml"})
    BOOST_TEST(contents(out + "/lr=1e-2,seed=0/" + file) ==
               contents(whole + "/lr=1e-2,seed=0/" + file));
  // Again: nothing is trained, and the result is the same.
  const std::string reached = contents(out + "/halving.json");
  BOOST_TEST(small_sweep(out, grid).text == output.text);
  BOOST_TEST(contents(out + "/halving.json") == reached);
}

BOOST_AUTO_TEST_CASE(refuses_what_has_gone_further) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  BOOST_TEST(small_sweep(out, {"--grid", "lr=1e-3"}).status == 0);
  expect_refused(small_sweep(out, {"--grid", "lr=1e-3,1e-2", "--halving", "2", "--json"}),
                 out +
                     "/lr=1e-3,seed=0 has trained for 4 steps, and here runs are compared after "
                     "2; choose another --out");
  expect_refused(small_sweep(scratch.file("b"), {"--grid", "steps=1,2", "--halving", "2"}),
                 "--grid steps=1,2: --halving compares runs of equally many steps");
}

BOOST_AUTO_TEST_CASE(a_damaged_record) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  std::filesystem::create_directory(out);
  scratch.write("all/halving.json", "[1]");
  expect_refused(small_sweep(out, grid),
                 out +
                     "/halving.json: not what a sweep wrote; without it, its runs begin anew in "
                     "another --out",
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
  BOOST_TEST(share(0, 16, plenty) == "3x5");  // no more than there are
  BOOST_TEST(share(0, 4, plenty) == "2x2");
  BOOST_TEST(share(0, 3, plenty) == "1x3");
  BOOST_TEST(share(0, 1, plenty) == "1x1");
  BOOST_TEST(share(0, 16, little) == "2x8");
  BOOST_TEST(share(0, 16, {1e9, "this machine has"}) == "1x16");  // which is refused elsewhere
  BOOST_TEST(share(2, 1, plenty) == "2x1");
  BOOST_TEST(share(8, 4, {infinity, "this machine has"}) == "3x1");
  expect_error<UsageError>([&] { share(3, 4, little); },
                           "--jobs 3: 3 runs at once need 12 GB; this machine has 9 GB, where "
                           "--jobs 2 fits");
}

BOOST_AUTO_TEST_SUITE_END()
