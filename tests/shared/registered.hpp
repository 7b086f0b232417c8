#pragma once
// A precondition of tests that need something from another optional module.
#include "suite.hpp"

#include <functional>
#include <string>

namespace tapehead {

/// Returns whether this build has a command, task or architecture of this name.
std::function<boost::test_tools::assertion_result(boost::unit_test::test_unit_id)> registered(
    const std::string& name);

}  // namespace tapehead
