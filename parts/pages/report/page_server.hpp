#pragma once
// A web server for one page that can change, reachable only from this machine.
#include "../../../core/system/loopback.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tapehead {

/// Returns the HTTP response to a request; nullopt if the request is incomplete. The only page is
/// at /. Refuses requests with a host name other than this machine's, so that web pages can't read
/// the page by DNS rebinding.
std::optional<std::string> http_response(const std::string& request, const std::string& page);

/// A server of a page at http://127.0.0.1:PORT/, in its own thread.
class PageServer {
 public:
  /// Starts serving; port 0 selects a free port. Throws UsageError if the port can't be used.
  explicit PageServer(int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const { return server_.port(); }
  /// Replaces the page.
  void show(std::string page);

 private:
  system::LoopbackServer server_;
  std::mutex mutex_;
  std::string page_;  // protected by the mutex
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace tapehead
