#pragma once
// A local web server for one page, which may change.
#include "../../../core/system/loopback.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tapehead {

/// Returns the HTTP response to the request received so far, or nullopt while it is incomplete. The
/// only page is at /. Refuses requests with another host name than this machine's, so that a web
/// page can't read it by DNS rebinding.
std::optional<std::string> http_response(const std::string& request, const std::string& page);

/// Serves a page at http://127.0.0.1:PORT/ in its own thread.
class PageServer {
 public:
  /// Throws UsageError if the port can't be used; 0 selects a free port.
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
  std::string page_;  // guarded by the mutex
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace tapehead
