#pragma once
// A server for other programs on this machine.
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tapehead::system {

/// A TCP server that listens on 127.0.0.1 only and serves several clients at a time. It closes idle
/// connections after some seconds and limits the number of connections and the size of requests. So
/// slow or broken clients don't block others.
class LoopbackServer {
 public:
  static const bool possible;
  /// Returns the reply to a request, or nothing if the request isn't complete yet.
  using Reply = std::function<std::optional<std::string>(const std::string& request)>;

  /// Listens on a port (0: any free port). Throws Error with the reason on failure.
  explicit LoopbackServer(int port);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const;
  /// Serves clients for this many milliseconds. Requires a WriteSignalGuard, because a write to a
  /// closed connection would end the program.
  void serve(int milliseconds, const Reply& reply);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace tapehead::system
