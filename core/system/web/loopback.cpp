// There is no server in a page of a browser.
#include "../loopback.hpp"
#include "../../error.hpp"

namespace tapehead::system {

const bool LoopbackServer::possible = false;

struct LoopbackServer::State {};

LoopbackServer::LoopbackServer(int) { throw Error("not available in a browser"); }
LoopbackServer::~LoopbackServer() = default;
int LoopbackServer::port() const { return 0; }
void LoopbackServer::serve(int, const Reply&) {}

}  // namespace tapehead::system
