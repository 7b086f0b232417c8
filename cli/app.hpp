#pragma once
#include "../train/config/registry.hpp"

namespace tapehead {

/// Runs the command line. Returns the exit status: 0 success, 1 failure, 2 usage error, 130
/// interrupted. Never throws; each error is one line on standard error.
int run(int argc, char** argv, const Registry& registry = Registry::standard());

/// Does the same, but throws errors instead of printing them.
int run_or_throw(int argc, char** argv, const Registry& registry);

/// Reserves the option names of `train` itself, which no part or task can use.
void reserve_command_options(Registry& registry);

}  // namespace tapehead
