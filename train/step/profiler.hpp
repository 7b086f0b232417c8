#pragma once
// Records a few steps of a training run: which thread did what, and when.
#include "../../core/trace.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace tapehead {

/// Something that a thread did. Events on one thread follow each other or are nested.
struct ProfileEvent {
  enum class Kind {
    op,        ///< from the end of the shard's previous event to the end of the op
    backward,  ///< an op's rule in backward; ops within it are recomputed
    phase,     ///< of a step, outside its shards
    shard,     ///< forward and backward of one part of the batch
    step
  };
  Kind kind;
  const char* name;        ///< of the op or part
  const char* module;      ///< in which an op ran: ModuleScope::current()
  Index number;            ///< of the step, counted from 0, or the shard; otherwise -1
  int thread;              ///< 0 is the one that trains
  double begin, end;       ///< seconds
  double own;              ///< seconds of an op or rule without the events within it; otherwise 0
  Shape shape;             ///< of an op's result, and so of the gradient that its rule gets
  std::size_t made = 0;    ///< bytes of results, without those that share an input's memory
  std::size_t passed = 0;  ///< bytes of inputs and results
  std::size_t live = 0;    ///< bytes of all tensors at the event's end
};

/// What a profiler has recorded.
struct Recording {
  std::vector<ProfileEvent> events;  ///< by time of beginning, outer ones before inner ones
  std::vector<double> other_steps;   ///< seconds of some steps after the recorded ones
  int threads = 1;                   ///< that the shards run on
};

/// Records at most five steps of a run, after the first five have warmed it up; of a shorter run,
/// the last half. Recording changes no bit of the results.
class Profiler {
 public:
  Profiler();
  ~Profiler();

  /// Announces a run from step `first` to the one before `end`. To be called before its steps.
  void plan(Index first, Index end);
  /// This profiler for a step that it records, null for others.
  Profiler* at(Index step);
  /// The listeners for the shards of a step.
  std::vector<TapeListener*> listeners(Index shards);
  /// Reports the duration of a step.
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
  Recording outside_;  // the events outside shards
  std::mutex mutex_;   // guards the list of threads
  std::vector<std::thread::id> threads_;
};

/// Records a step, or a part of one outside its shards, while it lives. Without a profiler it does
/// nothing.
class Span {
 public:
  Span(Profiler* profiler, Index step) : Span(profiler, ProfileEvent::Kind::step, "step", step) {}
  Span(Profiler* profiler, const char* part)
      : Span(profiler, ProfileEvent::Kind::phase, part, -1) {}
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Span(Profiler* profiler, ProfileEvent::Kind kind, const char* name, Index number);

  Profiler* profiler_;
  ProfileEvent event_;
};

/// Records a shard, on the thread that runs it, while it lives. Without a profiler it does nothing.
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
