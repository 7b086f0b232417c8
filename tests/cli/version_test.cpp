#include "../../cli/package/package.hpp"
#include "../../core/kernels/kernels.hpp"
#include "../../core/numerics.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

#include <cerrno>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(version, Elsewhere)

namespace {

/// Returns the description of runs/ by `--version --json` if system calls of this kind fail with
/// this error.
std::string runs_if(const char* call, int error) {
  const Output output =
      shell(fmt::format("LD_PRELOAD={} ASAN_OPTIONS=verify_asan_link_order=0 "
                        "TAPEHEAD_FAULT_UNDER=runs TAPEHEAD_FAULT_AT=-1 TAPEHEAD_FAULT={} "
                        "TAPEHEAD_FAULT_CALLS={} $TAPEHEAD --version --json",
                        built_faults, error, call));
  BOOST_TEST(output.status == 0, output.errors);
  expect_names(".", {});
  return parsed(output.text)["runs"];
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_line) {
  BOOST_TEST(command("--version").text ==
             "tapehead 0.2.0 (" + instruction_set() + ", numerics 1)\n");
}

BOOST_AUTO_TEST_CASE(verbose_describes_build_machine_and_folder) {
  const Output output = done("--version --verbose");
  expect_plain(output.text);
  BOOST_TEST(missing(output.text, {"version    0.2.0\n", "\nnumerics   1\n", "\ncompiler   ",
                                   "\nlevel      ", "\nlevels     ", "\nparts      ",
                                   "\nthreads    ", "\nmemory     ", "\nruns       writable, "}) ==
             "");
  expect_names(".", {});
  const json details = parsed(done("--version --json").text);
  BOOST_TEST(details["numerics"] == numerics);
  BOOST_TEST(has(details["levels"].dump(), details["level"].dump()));
  BOOST_TEST(details["level"] == instruction_set());
  std::filesystem::create_directory("runs");
  BOOST_TEST(has(done("--version --verbose").text, "GB free; locks; symbolic links\n"));
  expect_names("runs", {});
}

BOOST_AUTO_TEST_CASE(missing_parts_and_their_requirements) {
  Registry own = Registry::standard();
  BOOST_TEST(!has(command("--version --verbose", own).text, "parts"));
  own.extend(PartsOfBuild{{"arrays", "zoo"}, {{"ranks", "the package libopenmpi-dev"}}});
  BOOST_TEST(missing(command("--version --verbose", own).text,
                     {"\nparts      arrays, zoo\n",
                      "\nmissing    ranks (needs the package libopenmpi-dev)\n"}) == "");
}

BOOST_AUTO_TEST_CASE(unusable_runs_folder_is_described) {
  BOOST_TEST(runs_if("write", ENOSPC) == "not writable (No space left on device)");
  BOOST_TEST(has(runs_if("symlink", EPERM), "; no symbolic links (Operation not permitted)"));
  BOOST_TEST(has(runs_if("flock", ENOLCK), "; no locks (No locks available)"));
  BOOST_TEST(has(runs_if("flock", EWOULDBLOCK), "; locks without effect (never train "));
  std::ofstream("runs") << "";
  BOOST_TEST(parsed(done("--version --json").text)["runs"] ==
             "not writable (runs: Not a directory)");
}

BOOST_AUTO_TEST_CASE(usage_errors) {
  expect_refused("--verbose", "--verbose requires --version; see tapehead --help");
  expect_refused("train copy --json", "unknown option --json");
  expect_refused("doctor --json",
                 "the command doctor was removed; use tapehead --version --verbose");
  const Output broken = shell("TAPEHEAD_ISA=avx9 $TAPEHEAD --version --verbose");
  BOOST_TEST(broken.status == 2);
  BOOST_TEST(broken.text == "");
  BOOST_TEST(has(broken.errors, "tapehead: TAPEHEAD_ISA is 'avx9', expected one of "));
}

BOOST_AUTO_TEST_SUITE_END()
