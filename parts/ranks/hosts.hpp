#pragma once
#include "../../core/shape.hpp"

#include <string>

namespace tapehead {

/// The machines of a job.
struct Hosts {
  std::string lines;  ///< the hosts, in the format of mpirun's hostfile
  Index slots = 0;    ///< total number of ranks that the hosts accept
};

/// Returns the hosts in a file that answer over ssh. A line has the form `node-1 slots=4`. Throws
/// FileError for other lines before contacting a host, since hosts become arguments of programs.
Hosts reachable_hosts(const std::string& path);

}  // namespace tapehead
