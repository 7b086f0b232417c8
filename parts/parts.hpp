#pragma once
#include "../cli/app.hpp"
#include "../train/files/message.hpp"

namespace tapehead {

/// Registers every part that this build includes; see docs/architecture.md#parts.
void add_parts(Registry& registry);

/// Returns Registry::standard() with every part of this build; programs can add their own entries.
/// After this call, an uncaught error, such as an entry with a used name, ends the program with a
/// one-line message.
inline Registry make_registry() {
  report_uncaught_errors();
  Registry registry = Registry::standard();
  reserve_command_options(registry);
  add_parts(registry);
  return registry;
}
[[deprecated("use make_registry")]] inline Registry everything() { return make_registry(); }

}  // namespace tapehead
