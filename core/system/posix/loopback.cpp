#include "../loopback.hpp"
#include "../../error.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <vector>

namespace tapehead::system {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_connections = 32, longest_request = 1 << 14;
constexpr std::chrono::seconds longest_pause(10), longest_connection(120);

/// Returns whether a socket call failed only because it would have blocked.
bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

void set_up(int file) {
  ::fcntl(file, F_SETFD, FD_CLOEXEC);
  ::fcntl(file, F_SETFL, O_NONBLOCK);
}

}  // namespace

const bool LoopbackServer::possible = true;

struct LoopbackServer::State {
  /// A connection: reads a request, writes the reply, and waits until the client closes its end. If
  /// the server closed the connection first, the client could lose data that it hasn't read yet.
  class Connection {
   public:
    explicit Connection(int file) : file_(file) { set_up(file); }
    ~Connection() { ::close(file_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    pollfd wanted() const {
      return {file_, static_cast<short>(stage_ == Stage::writing ? POLLOUT : POLLIN), 0};
    }
    /// Reads or writes once more. Returns false when the connection has ended.
    bool advance(const LoopbackServer::Reply& reply) {
      progress_ = Clock::now();
      if (stage_ == Stage::writing) return write();
      std::array<char, 4096> buffer{};
      const ssize_t count = ::recv(file_, buffer.data(), buffer.size(), 0);
      if (count <= 0) return count < 0 && would_wait();
      if (stage_ == Stage::closing) return true;
      text_.append(buffer.data(), static_cast<std::size_t>(count));
      if (std::optional<std::string> whole = reply(text_)) {
        text_ = std::move(*whole);
        stage_ = Stage::writing;
        return true;
      }
      return text_.size() <= longest_request;
    }
    bool is_late(Clock::time_point now) const {
      return now - progress_ > longest_pause || now - begun_ > longest_connection;
    }

   private:
    bool write() {
      const ssize_t count = ::send(file_, text_.data() + sent_, text_.size() - sent_, 0);
      if (count < 0) return would_wait();
      sent_ += static_cast<std::size_t>(count);
      if (sent_ < text_.size()) return true;
      stage_ = Stage::closing;
      return ::shutdown(file_, SHUT_WR) == 0;
    }

    enum class Stage { reading, writing, closing };
    const int file_;
    Stage stage_ = Stage::reading;
    std::string text_;  // the request, then the reply
    std::size_t sent_ = 0;
    Clock::time_point begun_ = Clock::now(), progress_ = begun_;
  };

  ~State() {
    if (listens >= 0) ::close(listens);
  }
  void accept() {
    while (connections.size() < most_connections) {
      const int file = ::accept(listens, nullptr, nullptr);
      if (file < 0) return;
      connections.push_back(std::make_unique<Connection>(file));
    }
  }

  int listens = -1;
  std::vector<std::unique_ptr<Connection>> connections;
};

LoopbackServer::LoopbackServer(int port) : state_(std::make_unique<State>()) {
  const auto check = [&](bool good) {
    if (!good) throw Error("{}", std::generic_category().message(errno));
  };
  state_->listens = ::socket(AF_INET, SOCK_STREAM, 0);
  check(state_->listens >= 0);
  set_up(state_->listens);
  const int yes = 1;  // use the port even if old connections to it are still closing
  ::setsockopt(state_->listens, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  check(::bind(state_->listens, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  check(::listen(state_->listens, static_cast<int>(most_connections)) == 0);
}

LoopbackServer::~LoopbackServer() = default;

int LoopbackServer::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(state_->listens, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

void LoopbackServer::serve(int milliseconds, const Reply& reply) {
  auto& all = state_->connections;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    std::vector<pollfd> files;
    for (const auto& each : all) files.push_back(each->wanted());
    if (all.size() < most_connections) files.push_back({state_->listens, POLLIN, 0});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - now).count() + 1;
    if (::poll(files.data(), static_cast<nfds_t>(files.size()), static_cast<int>(left)) < 0) return;
    for (std::size_t i = all.size(); i-- > 0;) {
      const bool goes_on = files[i].revents == 0 || all[i]->advance(reply);
      if (!goes_on || all[i]->is_late(Clock::now())) all.erase(all.begin() + static_cast<long>(i));
    }
    state_->accept();
  }
}

}  // namespace tapehead::system
