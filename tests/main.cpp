#define BOOST_TEST_MODULE tapehead
#include "shared/paths.hpp"

#include <boost/test/unit_test.hpp>

namespace tapehead {

const char* const source_dir = TAPEHEAD_SOURCE_DIR;
const char* const built_command = TAPEHEAD_COMMAND;

}  // namespace tapehead
