#pragma once
#include "../../core/shape.hpp"

#include <string>

namespace tapehead {

struct Hosts {
  std::string lines;  ///< as in a file of hosts
  Index slots = 0;    ///< how many ranks they take
};

/// The hosts in a file that answer by ssh, each in a line `node-1 slots=4`. Throws FileError where
/// a line is something else, before any is asked: they become words of other programs' command
/// lines.
Hosts reachable_hosts(const std::string& path);

}  // namespace tapehead
