#include "entered_tape.hpp"

#include <mutex>

namespace tapehead {
namespace {

/// The waiting calls of `run_with_gil`. Leaked, since threads can end after static objects.
struct WaitingCalls {
  static WaitingCalls& all() {
    static auto& calls = *new WaitingCalls;
    return calls;
  }
  void add(std::function<void()> f) {
    const std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back(std::move(f));
    ++pending;
  }
  void make() {
    std::vector<std::function<void()>> taken;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      taken.swap(waiting);
    }
    pending -= static_cast<int>(taken.size());
    for (const auto& f : taken) f();
  }

  std::mutex mutex;
  std::vector<std::function<void()>> waiting;
};

}  // namespace

void run_with_gil(std::function<void()> f) {
  if (Py_IsInitialized() && PyGILState_Check())
    f();
  else
    WaitingCalls::all().add(std::move(f));
}

/// The tapes that one thread entered and other threads closed. The thread that entered them must
/// end them.
class ClosedElsewhere {
 public:
  static const std::shared_ptr<ClosedElsewhere>& of_this_thread() {
    thread_local const Guard guard;
    return guard.own;
  }

  /// Adds a tape for its thread to end. Returns false if that thread has exited.
  bool add(const std::shared_ptr<EnteredTape>& entered) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (gone_) return false;
    tapes_.push_back(entered);
    ++pending;
    return true;
  }
  /// Ends the tapes whose backward pass isn't running. The owning thread calls this.
  void finish() {
    for (const auto& entered : taken([](const EnteredTape& each) { return !each.runs_backward(); }))
      entered->finish();
  }

 private:
  struct Guard {
    const std::shared_ptr<ClosedElsewhere> own = std::make_shared<ClosedElsewhere>();
    ~Guard() { own->leave(); }
  };
  void leave() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      gone_ = true;
    }
    for (const auto& entered : taken([](const EnteredTape&) { return true; }))
      WaitingCalls::all().add([entered] { entered->finish(); });
  }
  template <class F>
  std::vector<std::shared_ptr<EnteredTape>> taken(F wanted) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<EnteredTape>> all, left;
    for (auto& entered : tapes_) (wanted(*entered) ? all : left).push_back(std::move(entered));
    tapes_ = std::move(left);
    pending -= static_cast<int>(all.size());
    return all;
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<EnteredTape>> tapes_;
  bool gone_ = false;
};

void finish_pending() {
  ClosedElsewhere::of_this_thread()->finish();
  WaitingCalls::all().make();
}

EnteredTape::EnteredTape(const std::vector<Tensor>& watched)
    : tape_(std::make_unique<Tape>()), recorded_(16), owner_(ClosedElsewhere::of_this_thread()) {
  for (const Tensor& x : watched) tape_->watch(x);
}

void EnteredTape::end(const std::shared_ptr<EnteredTape>& entered) {
  entered->closed_ = true;
  const bool own = entered->owner_ == ClosedElsewhere::of_this_thread();
  if (own && !entered->runs_backward())
    entered->finish();
  else if (!entered->owner_->add(entered))
    entered->finish();
}

void EnteredTape::finish() {
  recorded_.stop();
  tape_.reset();
}

void EnteredTape::check_thread() const {
  if (owner_ != ClosedElsewhere::of_this_thread())
    throw TapeError("Tape: entered on another thread; enter a tape on the thread that uses it");
}

Tape& EnteredTape::tape() const {
  check_thread();
  return *tape_;
}

const TapeRecording& EnteredTape::recorded() const {
  if (tape_) check_thread();
  return recorded_;
}

}  // namespace tapehead
