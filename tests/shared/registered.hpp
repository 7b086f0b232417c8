#pragma once
// A precondition of tests that need what a part registers, besides that which they lie in.
#include "suite.hpp"

#include <functional>
#include <string>

namespace tapehead {

/// This build has a command, a task or a kind of model of this name.
std::function<boost::test_tools::assertion_result(boost::unit_test::test_unit_id)> registered(
    const std::string& name);

}  // namespace tapehead
