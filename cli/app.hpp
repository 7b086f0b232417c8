#pragma once
#include "../train/config/registry.hpp"

namespace tapehead {

/// Runs the command line with a registry. Returns the exit status: 0 done, 1 failed, 2 wrong usage,
/// 130 interrupted. Never throws; every error is one line on standard error.
int run(int argc, char** argv, const Registry& registry = Registry::standard());

/// Reserves the names of the options that `train` has besides those of a run: no part or task can
/// have them.
void reserve_command_options(Registry& registry);

}  // namespace tapehead
