#define BOOST_TEST_MODULE tapehead
#include "shared/build.hpp"

#include <boost/test/unit_test.hpp>

namespace tapehead {

const char* const source_dir = TAPEHEAD_SOURCE_DIR;
const char* const built_command = TAPEHEAD_COMMAND;
const char* const built_faults = TAPEHEAD_FAULTS;
#ifdef TAPEHEAD_NO_POOL
const bool under_sanitizers = true;
#else
const bool under_sanitizers = false;
#endif

}  // namespace tapehead
