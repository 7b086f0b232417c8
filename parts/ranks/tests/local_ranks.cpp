#include "local_ranks.hpp"
#include "../../../core/error.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace tapehead {
namespace {

/// What has been sent and not yet received, by sender, receiver, topic and number.
struct Post {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::tuple<int, int, Topic, int>, std::deque<std::string>> messages;
  int ranks = 0;
};

class Local : public Ranks {
 public:
  Local(int rank, std::shared_ptr<Post> post) : rank_(rank), post_(std::move(post)) {}
  int rank() const override { return rank_; }
  int count() const override { return post_->ranks; }
  std::string host(int) const override { return "this process"; }

  void send(int to, Topic topic, int number, const void* data, std::size_t bytes,
            std::shared_ptr<const void>) override {
    const std::lock_guard<std::mutex> lock(post_->mutex);
    post_->messages[{rank_, to, topic, number}].emplace_back(static_cast<const char*>(data), bytes);
    post_->arrived.notify_all();
  }
  void receive(int from, Topic topic, int number, void* into, std::size_t bytes,
               std::size_t* arrived) override {
    wanted_.push_back({{from, rank_, topic, number}, into, bytes, arrived});
  }
  void wait(bool) override {
    std::unique_lock<std::mutex> lock(post_->mutex);
    for (const Wanted& wanted : wanted_) {
      auto& queue = post_->messages[wanted.which];
      post_->arrived.wait(lock, [&] { return !queue.empty(); });
      const std::string& message = queue.front();
      if (message.size() > wanted.bytes) throw Error("a message is longer than what waits for it");
      if (!message.empty()) std::memcpy(wanted.into, message.data(), message.size());
      if (wanted.arrived) *wanted.arrived = message.size();
      queue.pop_front();
    }
    wanted_.clear();
  }
  void stop(int) noexcept override { std::terminate(); }

 private:
  struct Wanted {
    std::tuple<int, int, Topic, int> which;
    void* into;
    std::size_t bytes;
    std::size_t* arrived;
  };
  int rank_;
  std::shared_ptr<Post> post_;
  std::vector<Wanted> wanted_;
};

}  // namespace

std::vector<std::unique_ptr<Ranks>> local_ranks(int count) {
  const auto post = std::make_shared<Post>();
  post->ranks = count;
  std::vector<std::unique_ptr<Ranks>> all;
  for (int rank = 0; rank < count; ++rank) all.push_back(std::make_unique<Local>(rank, post));
  return all;
}

}  // namespace tapehead
