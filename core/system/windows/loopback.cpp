// There is no server in the programs for Windows.
#include "../loopback.hpp"
#include "../../error.hpp"

namespace tapehead::system {

const bool LoopbackServer::possible = false;

struct LoopbackServer::State {};

LoopbackServer::LoopbackServer(int) { throw Error("not available on Windows"); }
LoopbackServer::~LoopbackServer() = default;
int LoopbackServer::port() const { return 0; }
void LoopbackServer::serve(int, const Reply&) {}

}  // namespace tapehead::system
