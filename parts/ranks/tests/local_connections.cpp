#include "local_connections.hpp"
#include "../../../core/error.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace tapehead {
namespace {

/// Messages that are sent but not yet received, by sender and receiver.
struct Post {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<int, int>, std::deque<std::string>> messages;
  int ranks = 0;
};

class Local : public Connection {
 public:
  Local(int rank, std::shared_ptr<Post> post) : rank_(rank), post_(std::move(post)) {}
  int rank() const override { return rank_; }
  int count() const override { return post_->ranks; }
  std::string host(int) const override { return "this process"; }

  void send(int to, const void* data, std::size_t bytes) override {
    const std::lock_guard<std::mutex> lock(post_->mutex);
    post_->messages[{rank_, to}].emplace_back(static_cast<const char*>(data), bytes);
    post_->arrived.notify_all();
  }
  void receive(int from, void* into, std::size_t bytes, std::size_t* arrived) override {
    wanted_.push_back({from, into, bytes, arrived});
  }
  void wait(bool) override {
    std::unique_lock<std::mutex> lock(post_->mutex);
    for (const Wanted& wanted : wanted_) {
      auto& queue = post_->messages[{wanted.from, rank_}];
      post_->arrived.wait(lock, [&] { return !queue.empty(); });
      const std::string& message = queue.front();
      if (message.size() > wanted.bytes) throw Error("a message is longer than its receive buffer");
      if (!message.empty()) std::memcpy(wanted.into, message.data(), message.size());
      if (wanted.arrived) *wanted.arrived = message.size();
      queue.pop_front();
    }
    wanted_.clear();
  }
  void stop(int) noexcept override { std::terminate(); }

 private:
  struct Wanted {
    int from;
    void* into;
    std::size_t bytes;
    std::size_t* arrived;
  };
  int rank_;
  std::shared_ptr<Post> post_;
  std::vector<Wanted> wanted_;
};

}  // namespace

std::vector<std::shared_ptr<Connection>> local_connections(int count) {
  const auto post = std::make_shared<Post>();
  post->ranks = count;
  std::vector<std::shared_ptr<Connection>> all;
  for (int rank = 0; rank < count; ++rank) all.push_back(std::make_shared<Local>(rank, post));
  return all;
}

}  // namespace tapehead
