#pragma once
#include "../ranks.hpp"

namespace tapehead {

/// Ranks that are threads of this process.
std::vector<std::unique_ptr<Ranks>> local_ranks(int count);

}  // namespace tapehead
