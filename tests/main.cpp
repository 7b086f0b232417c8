#define BOOST_TEST_MODULE tapehead
#include <boost/test/unit_test.hpp>

#include "shared/paths.hpp"

namespace tapehead {

const char* const source_dir = TAPEHEAD_SOURCE_DIR;
const char* const built_command = TAPEHEAD_COMMAND;

}  // namespace tapehead
