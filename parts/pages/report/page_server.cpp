#include "page_server.hpp"
#include "../../../core/error.hpp"
#include "../../../train/files/strings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tapehead {
namespace {

std::string response(const char* status, const std::string& type, const std::string& body,
                     bool with_body = true) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{}",
      status, type, body.size(), with_body ? body : "");
}

std::string refusal(const char* status) {
  return response(status, "text/plain", fmt::format("{}\n", status));
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns the host name, without the port, in the header of a request; empty if there is none.
std::string host_in(const std::string& head) {
  const std::string start = "\r\nhost:", lower = in_lower_case(head);
  const std::size_t at = lower.find(start);
  if (at == std::string::npos) return "";
  std::string host = lower.substr(at + start.size());
  host.resize(std::min(host.find("\r\n"), host.size()));
  host.erase(0, host.find_first_not_of(' '));
  return host.substr(0, host.find_first_of(": "));
}

system::LoopbackServer listen_on(int port) try {
  return system::LoopbackServer(port);
} catch (const Error& error) {
  throw UsageError("--serve {}: {}; choose another port, or 0 for any free port", port,
                   error.what());
}

}  // namespace

std::optional<std::string> http_response(const std::string& request, const std::string& page) {
  const std::size_t end = request.find("\r\n\r\n");
  if (end == std::string::npos) return {};
  const std::string head = request.substr(0, end + 2), line = head.substr(0, head.find("\r\n"));
  const std::size_t space = line.find(' '), second = line.find(' ', space + 1);
  if (space == std::string::npos || second == std::string::npos ||
      !starts_with(line.substr(second), " HTTP/1."))
    return refusal("400 Bad Request");
  const std::string method = line.substr(0, space),
                    target = line.substr(space + 1, second - space - 1);
  if (method != "GET" && method != "HEAD") return refusal("405 Method Not Allowed");
  if (const std::string host = host_in(head); host != "127.0.0.1" && host != "localhost")
    return refusal("403 Forbidden");
  if (target.substr(0, target.find('?')) != "/") return refusal("404 Not Found");
  return response("200 OK", "text/html", page, method == "GET");
}

PageServer::PageServer(int port) : server_(listen_on(port)) {
  thread_ = std::thread([this] {
    while (!ends_)
      server_.serve(100, [this](const std::string& request) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return http_response(request, page_);
      });
  });
}

PageServer::~PageServer() {
  ends_ = true;
  thread_.join();
}

void PageServer::show(std::string page) {
  const std::lock_guard<std::mutex> lock(mutex_);
  page_ = std::move(page);
}

}  // namespace tapehead
