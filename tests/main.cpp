#define BOOST_TEST_MODULE tapehead
#include "shared/build.hpp"

#include <boost/test/tree/observer.hpp>
#ifdef TAPEHEAD_INCLUDED_BOOST
#include <boost/test/included/unit_test.hpp>
#else
#include <boost/test/unit_test.hpp>
#endif
#include <cstdlib>
#include <iostream>

namespace tapehead {

const char* const source_dir = TAPEHEAD_SOURCE_DIR;
const char* const built_command = TAPEHEAD_COMMAND;
const char* const built_faults = TAPEHEAD_FAULTS;
const char* const built_one_file = TAPEHEAD_ONE_FILE;
#ifdef TAPEHEAD_NO_POOL
const bool under_sanitizers = true;
#else
const bool under_sanitizers = false;
#endif

const bool whole_tests = std::getenv("TAPEHEAD_ALL") != nullptr;

namespace {

/// Reports the test cases that don't run, and why.
struct Skipped : boost::unit_test::test_observer {
  Skipped() { boost::unit_test::framework::register_observer(*this); }
  ~Skipped() override { boost::unit_test::framework::deregister_observer(*this); }
  void test_unit_skipped(const boost::unit_test::test_unit& unit,
                         boost::unit_test::const_string reason) override {
    if (reason == "disabled") return;  // not selected by --run_test
    std::cout << "skipped " << unit.full_name() << ": " << reason << std::endl;
  }
};
BOOST_TEST_GLOBAL_FIXTURE(Skipped);

}  // namespace

}  // namespace tapehead
