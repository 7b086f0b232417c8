#pragma once
// Requests from other programs on this machine.
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tapehead::system {

/// A TCP server that listens on 127.0.0.1 only. It serves several clients at a time, closes a
/// connection that makes no progress for some seconds, and limits the number of connections and the
/// size of a request: slow or broken clients don't keep others waiting.
class LoopbackServer {
 public:
  static const bool possible;
  /// Returns the whole reply, or nothing while the request isn't complete.
  using Reply = std::function<std::optional<std::string>(const std::string& request)>;

  /// Listens on a port; 0: any free one. Throws Error that says why it can't.
  explicit LoopbackServer(int port);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const;
  /// Serves clients for so many milliseconds. A write to a client that has gone must not end the
  /// program: see WriteSignalGuard.
  void serve(int milliseconds, const Reply& reply);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace tapehead::system
