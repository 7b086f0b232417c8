#pragma once
#include "options.hpp"

namespace tapehead {

/// The scheme that acts in an attention layer of these options, as `completed` gives them: that of
/// their `scheme`, else of their `position`; null for none.
std::unique_ptr<PositionScheme> attention_positions(const AttentionLayerOptions& options);

}  // namespace tapehead
