#pragma once
// Listens to a few steps of a training: which thread did what, and when.
#include "../../core/trace.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace tapehead {

/// One thing that a thread did. On a thread they follow each other, or lie within each other.
struct ProfileEvent {
  enum class Kind {
    op,     ///< from the end of what the shard did before to that of the op
    rule,   ///< an op's rule in backward; ops within it are those that it computes again
    part,   ///< of a step, outside of its shards
    shard,  ///< all that one does with its part of the batch
    step
  };
  Kind kind;
  const char* name;        ///< of the op or part
  const char* module;      ///< in which an op ran: Scope::current()
  Index number;            ///< of the step, which counts from 0, or the shard; -1 of all else
  int thread;              ///< 0 is the one that trains
  double begin, end;       ///< seconds
  double own;              ///< seconds of an op or rule that no event within it has; 0 of all else
  Shape shape;             ///< of an op's result, which is that of the gradient that its rule takes
  std::size_t made = 0;    ///< bytes of results, without those in the memory of what was given
  std::size_t passed = 0;  ///< bytes of inputs and results
  std::size_t live = 0;    ///< bytes of all tensors at its end
};

/// What a profiler has heard.
struct Recording {
  std::vector<ProfileEvent> events;  ///< by their beginning, outer ones before inner ones
  std::vector<double> other_steps;   ///< seconds of some steps after those
  int threads = 1;                   ///< that the shards run on
};

/// Listens to at most five steps of a run, once the first five have warmed it up; of a shorter run,
/// to the last half. What it hears changes no bit of them.
class Profiler {
 public:
  Profiler();
  ~Profiler();

  /// The run goes from step `first` to the one before `end`. To be told before its steps.
  void plan(Index first, Index end);
  /// Itself for a step that it listens to, null for others.
  Profiler* at(Index step);
  /// What hears the shards of a step.
  std::vector<TapeListener*> listeners(Index shards);
  /// A step has taken so long.
  void stepped(Index step, double seconds);

  Recording recording() const;

 private:
  friend class Span;
  friend class ShardSpan;
  class Shard;
  double now() const;
  int this_thread();

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start_ = Clock::now();
  Index first_ = 0, end_ = 0;
  std::vector<std::unique_ptr<Shard>> shards_;
  Recording outside_;  // of shards
  std::mutex mutex_;   // of the list of threads
  std::vector<std::thread::id> threads_;
};

/// A step, or a part of one outside of its shards, while it lives. Nothing without a profiler.
class Span {
 public:
  Span(Profiler* profiler, Index step) : Span(profiler, ProfileEvent::Kind::step, "step", step) {}
  Span(Profiler* profiler, const char* part) : Span(profiler, ProfileEvent::Kind::part, part, -1) {}
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Span(Profiler* profiler, ProfileEvent::Kind kind, const char* name, Index number);

  Profiler* profiler_;
  ProfileEvent event_;
};

/// A shard, on the thread that runs it, while it lives. Nothing without a profiler.
class ShardSpan {
 public:
  ShardSpan(Profiler* profiler, Index shard);
  ~ShardSpan();
  ShardSpan(const ShardSpan&) = delete;
  ShardSpan& operator=(const ShardSpan&) = delete;

 private:
  Profiler::Shard* shard_;
};

}  // namespace tapehead
