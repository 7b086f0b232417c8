#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds `export --format onnx`.
void add_onnx(Registry& registry);

}  // namespace tapehead
