#pragma once
#include "../train/config/registry.hpp"

namespace tapehead {

/// Adds what the parts register that this build has: see parts/README.md.
void add_parts(Registry& registry);

/// Registry::standard() with all of them.
inline Registry everything() {
  Registry registry = Registry::standard();
  add_parts(registry);
  return registry;
}

}  // namespace tapehead
