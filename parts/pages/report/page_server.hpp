#pragma once
// A page that is served to browsers on this machine, while it changes.
#include "../../../core/system/loopback.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tapehead {

/// Returns the HTTP response to a request so far, or nothing while the request isn't complete.
/// There is one page, at /. Requests under another name than this machine's are refused, so that no
/// web page can read it through a name of its own.
std::optional<std::string> http_response(const std::string& request, const std::string& page);

/// Serves a page at http://127.0.0.1:PORT/, on a thread of its own.
class PageServer {
 public:
  /// Throws UsageError where the port can't be used; 0: any free port.
  explicit PageServer(int port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const { return server_.port(); }
  void show(std::string page);

 private:
  system::LoopbackServer server_;
  std::mutex mutex_;
  std::string page_;  // guarded by the mutex
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace tapehead
