#pragma once
#include "../cli/app.hpp"
#include "../train/files/message.hpp"

namespace tapehead {

/// Registers every part that this build includes; see docs/architecture.md#parts.
void add_parts(Registry& registry);

/// Returns Registry::standard() extended by every part of this build, for programs that add their
/// own entries. From then on, an uncaught error, such as a name that is already registered, ends
/// the program with a one-line message.
inline Registry make_registry() {
  report_uncaught_errors();
  Registry registry = Registry::standard();
  reserve_command_options(registry);
  add_parts(registry);
  return registry;
}
[[deprecated("use make_registry")]] inline Registry everything() { return make_registry(); }

}  // namespace tapehead
