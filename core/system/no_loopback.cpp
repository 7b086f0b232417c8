// LoopbackServer for Windows and browsers, where it isn't available.
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
