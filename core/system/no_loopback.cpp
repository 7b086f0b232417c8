// The server isn't available on Windows or in a browser.
#include "../error.hpp"
#include "loopback.hpp"

namespace tapehead::system {

const bool LoopbackServer::possible = false;

struct LoopbackServer::State {};

LoopbackServer::LoopbackServer(int) { throw Error("not available on Windows or in a browser"); }
LoopbackServer::~LoopbackServer() = default;
int LoopbackServer::port() const { return 0; }
void LoopbackServer::serve(int, const Reply&) {}

}  // namespace tapehead::system
