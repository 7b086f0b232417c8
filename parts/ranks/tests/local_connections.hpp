#pragma once
#include "../connection.hpp"

namespace tapehead {

/// Returns connections of ranks that are threads of this process.
std::vector<std::shared_ptr<Connection>> local_connections(int count);

}  // namespace tapehead
