#pragma once
#include "../../core/shape.hpp"

#include <string>

namespace tapehead {

/// The machines of a job.
struct Hosts {
  std::string lines;  ///< in the format of mpirun's hostfile
  Index slots = 0;    ///< total number of ranks that they accept
};

/// Returns the hosts in a file that answer over ssh. Each line is like `node-1 slots=4`. Throws
/// FileError for any other line before contacting a host, since hosts become arguments of other
/// programs.
Hosts reachable_hosts(const std::string& path);

}  // namespace tapehead
