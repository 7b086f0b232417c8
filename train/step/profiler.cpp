#include "profiler.hpp"
#include "../../core/dispatch.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../core/runtime/parallel.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Kind = ProfileEvent::Kind;

const void* memory_of(const Tensor& x) {
  return dispatch(x.dtype(), [&](auto zero) -> const void* { return x.data<decltype(zero)>(); });
}

}  // namespace

/// Records one shard on the thread that runs it. All time is attributed to the next event that
/// ends: an op, a backward function, or the tape's own work between them.
class Profiler::Shard : public TapeListener {
 public:
  Shard(Profiler& profiler, Index number) : profiler_(profiler), number_(number) {}

  void begin() {
    thread_ = profiler_.this_thread();
    rules_.clear();
    module_ = "";
    begin_ = mark_ = profiler_.now();
  }
  void end() {
    add_tape(profiler_.now());
    ProfileEvent event = made(Kind::shard, "shard", begin_, mark_);
    event.number = number_;
    events_.push_back(event);
  }
  const std::vector<ProfileEvent>& events() const { return events_; }

 private:
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override {
    ProfileEvent event = made(Kind::op, call.name, mark_, profiler_.now());
    event.shape = y.shape();
    event.made = event.passed = y.bytes().size();
    for (const Tensor& x : inputs) {
      event.passed += x.bytes().size();
      if (memory_of(x) == memory_of(y)) event.made = 0;
    }
    add(event);
  }
  void differentiating(const char*) override {
    const double now = profiler_.now();
    add_tape(now);
    rules_.push_back(now);
    module_ = ModuleScope::current();
  }
  void differentiated(std::uint64_t, const char* op, const Tensor& dy,
                      const Grads& grads) override {
    ProfileEvent event = made(Kind::backward, op, rules_.back(), profiler_.now());
    rules_.pop_back();
    event.shape = dy.shape();
    event.passed = dy.bytes().size();
    for (const Tensor& dx : grads) {
      if (!dx) continue;
      event.passed += dx.bytes().size();
      if (memory_of(dx) != memory_of(dy)) event.made += dx.bytes().size();
    }
    add(event);
  }

  /// Adds the tape's own work since the last event: adding gradients, summing them over broadcast
  /// axes, freeing memory.
  void add_tape(double now) {
    ProfileEvent event = made(Kind::backward, "tape", mark_, now);
    event.module = module_;
    add(event);
  }
  ProfileEvent made(Kind kind, const char* name, double begin, double end) const {
    ProfileEvent event{kind,        name, ModuleScope::current(), -1, thread_, begin, end,
                       end - mark_, {}};
    event.live = memory_use().live;
    return event;
  }
  void add(const ProfileEvent& event) {
    events_.push_back(event);
    mark_ = event.end;
    module_ = event.module;
  }

  Profiler& profiler_;
  const Index number_;
  int thread_ = 0;
  double begin_ = 0, mark_ = 0;  // start of the shard; end of the last event
  const char* module_ = "";      // module of the last event
  std::vector<double> rules_;    // start times of the running backward functions
  std::vector<ProfileEvent> events_;
};

Profiler::Profiler() = default;
Profiler::~Profiler() = default;

void Profiler::plan(Index first, Index end) {
  constexpr Index warm_up = 5, most = 5;
  const Index steps = end - first, before = std::min(warm_up, steps / 2);
  first_ = first + before;
  end_ = first_ + std::min(most, steps - before);
}

Profiler* Profiler::at(Index step) { return first_ <= step && step < end_ ? this : nullptr; }

std::vector<TapeListener*> Profiler::listeners(Index shards) {
  for (auto number = static_cast<Index>(shards_.size()); number < shards; ++number)
    shards_.push_back(std::make_unique<Shard>(*this, number));
  std::vector<TapeListener*> all;
  for (const auto& shard : shards_) all.push_back(shard.get());
  return all;
}

void Profiler::stepped(Index step, double seconds) {
  constexpr Index enough = 20;
  if (end_ <= step && step < end_ + enough) outside_.other_steps.push_back(seconds);
}

Recording Profiler::recording() const {
  Recording all = outside_;
  for (const auto& shard : shards_)
    all.events.insert(all.events.end(), shard->events().begin(), shard->events().end());
  std::stable_sort(all.events.begin(), all.events.end(),
                   [](const ProfileEvent& a, const ProfileEvent& b) {
                     return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
                   });
  return all;
}

double Profiler::now() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

int Profiler::this_thread() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(threads_.begin(), threads_.end(), std::this_thread::get_id());
  const auto number = static_cast<int>(found - threads_.begin());
  if (found == threads_.end()) threads_.push_back(std::this_thread::get_id());
  return number;
}

Span::Span(Profiler* profiler, ProfileEvent::Kind kind, const char* name, Index number)
    : profiler_(profiler), event_{kind, name, "", number, 0, 0, 0, 0, {}} {
  if (!profiler) return;
  event_.thread = profiler->this_thread();
  event_.begin = profiler->now();
}

Span::~Span() {
  if (!profiler_) return;
  event_.end = profiler_->now();
  event_.live = memory_use().live;
  profiler_->outside_.events.push_back(event_);
  profiler_->outside_.threads = threads();
}

ShardSpan::ShardSpan(Profiler* profiler, Index shard)
    : shard_(profiler ? profiler->shards_[shard].get() : nullptr) {
  if (shard_) shard_->begin();
}

ShardSpan::~ShardSpan() {
  if (shard_) shard_->end();
}

}  // namespace tapehead
