#pragma once
#include "../cli/app.hpp"
#include "../train/files/message.hpp"

namespace tapehead {

/// Adds what the parts register that this build has: see parts/README.md.
void add_parts(Registry& registry);

/// Registry::standard() with all of them, for a program that adds its own: from here on it ends by
/// one line where it can't, as where a name is taken.
inline Registry make_registry() {
  report_uncaught_errors();
  Registry registry = Registry::standard();
  reserve_command_options(registry);
  add_parts(registry);
  return registry;
}

}  // namespace tapehead
