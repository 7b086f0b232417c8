#pragma once
// Records a few steps of a training run: what each thread did, and when.
#include "../../core/trace.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace tapehead {

/// One interval of work on a thread. Events on one thread follow each other or are nested.
struct ProfileEvent {
  enum class Kind {
    op,        ///< from the end of the shard's previous event to the end of the op
    backward,  ///< an op's backward function; ops inside it are recomputed
    phase,     ///< a phase of the step outside its shards
    shard,     ///< forward and backward of one slice of the batch
    step
  };
  Kind kind;
  const char* name;        ///< name of the op or phase
  const char* module;      ///< the op's module: ModuleScope::current()
  Index number;            ///< step or shard number, from 0; otherwise -1
  int thread;              ///< number of the thread; 0 is the training thread
  double begin, end;       ///< seconds since the profiler was made
  double own;              ///< of an op or backward function: seconds without nested events; else 0
  Shape shape;             ///< shape of the op's result, or of the gradient that backward receives
  std::size_t made = 0;    ///< bytes of results, except those that share memory with an input
  std::size_t passed = 0;  ///< bytes of inputs and results
  std::size_t live = 0;    ///< bytes of all tensors when the event ends
};

/// The events that a profiler has recorded.
struct Recording {
  std::vector<ProfileEvent> events;  ///< sorted by start time, outer events before inner ones
  std::vector<double> other_steps;   ///< seconds of some steps after the recorded ones
  int threads = 1;                   ///< number of threads that run the shards
};

/// A recorder of at most five steps of a run, after five warm-up steps; of a shorter run, the
/// second half. Results stay bitwise identical.
class Profiler {
 public:
  Profiler();
  ~Profiler();

  /// Announces a run of steps [first, end). Call it before the steps.
  void plan(Index first, Index end);
  /// Returns this profiler for a step that it records, otherwise null.
  Profiler* at(Index step);
  /// Returns the listeners for the shards of a step.
  std::vector<TapeListener*> listeners(Index shards);
  /// Records the duration of a completed step.
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
  Recording outside_;  // events outside shards
  std::mutex mutex_;   // guards threads_
  std::vector<std::thread::id> threads_;
};

/// A scope that records a step or a phase of it. Does nothing without a profiler.
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

/// A scope that records a shard on the current thread. Does nothing without a profiler.
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
