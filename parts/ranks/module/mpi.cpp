// A connection over MPI, in a module that is loaded only in processes that a launcher started. One
// thread makes all MPI calls: it starts transfers, completes them while other threads compute, and
// exchanges heartbeats with the neighbouring ranks.
#include "../connection.hpp"

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace tapehead {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

std::string rounded(double seconds) { return std::to_string(std::lround(seconds)) + " seconds"; }

class Mpi : public Connection {
 public:
  explicit Mpi(const ConnectionSetup& setup)
      : timeout_(setup.timeout), host_(setup.host), message_(setup.message) {
    thread_ = std::thread([this] { serve(); });
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return count_ > 0; });
  }
  ~Mpi() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string host(int rank) const override { return hosts_[static_cast<std::size_t>(rank)]; }

  void send(int to, const void* data, std::size_t bytes) override {
    add({to, const_cast<void*>(data), bytes, nullptr, true});
  }
  void receive(int from, void* into, std::size_t bytes, std::size_t* arrived) override {
    add({from, into, bytes, arrived, false});
  }

  void wait(bool patient) override {
    std::unique_lock<std::mutex> lock(mutex_);
    // Waits long, since other ranks compute about as long as this rank did since its last wait. If
    // a rank stops, missing heartbeats show it earlier.
    patience_ = patient ? HUGE_VAL : std::max(2 * timeout_, 4 * since(moved_));
    moved_ = Clock::now();
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return pending_ == 0; });
    waiting_ = false;
    moved_ = Clock::now();
  }

  void stop(int status) noexcept override {
    status_ = status;
    changed_.notify_all();
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

 private:
  struct Transfer {
    int other;
    void* data;
    std::size_t bytes;
    std::size_t* arrived;
    bool sends;
  };

  void add(Transfer transfer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++pending_;
    added_.push_back(std::move(transfer));
  }

  // ---- on the MPI thread

  void serve() {
    int level = 0, count = 0, rank = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    std::array<char, 256> name{};
    host_.copy(name.data(), name.size() - 1);
    std::vector<std::array<char, 256> > names(static_cast<std::size_t>(count));
    MPI_Allgather(name.data(), name.size(), MPI_CHAR, names.data(), name.size(), MPI_CHAR,
                  MPI_COMM_WORLD);
    for (const auto& other : names) hosts_.emplace_back(other.data());
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      rank_ = rank;
      count_ = count;
      moved_ = Clock::now();
    }
    changed_.notify_all();
    listen();
    while (!said_goodbye_ || !heard_goodbye_) {
      if (status_ >= 0) MPI_Abort(MPI_COMM_WORLD, status_);
      begin_transfers();
      const bool moved = complete_transfers();
      beat();
      check_lost();
      if (!moved) rest();
    }
    MPI_Wait(&saying_, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }

  bool done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ending_ && pending_ == 0;
  }

  void begin_transfers() {
    std::vector<Transfer> added;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      added.swap(added_);
    }
    for (Transfer& transfer : added) {
      MPI_Request request = MPI_REQUEST_NULL;
      const int bytes = static_cast<int>(transfer.bytes);
      if (transfer.sends)
        MPI_Isend(transfer.data, bytes, MPI_BYTE, transfer.other, data_tag, MPI_COMM_WORLD,
                  &request);
      else
        MPI_Irecv(transfer.data, bytes, MPI_BYTE, transfer.other, data_tag, MPI_COMM_WORLD,
                  &request);
      requests_.push_back(request);
      transfers_.push_back(std::move(transfer));
    }
  }

  /// Completes finished transfers. Returns whether there were any.
  bool complete_transfers() {
    if (requests_.empty()) return false;
    std::vector<int> indices(requests_.size());
    std::vector<MPI_Status> statuses(requests_.size());
    int ended = 0;
    MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &ended, indices.data(),
                 statuses.data());
    if (ended <= 0) return false;
    for (int i = 0; i < ended; ++i) {
      Transfer& transfer = transfers_[static_cast<std::size_t>(indices[i])];
      int bytes = 0;
      MPI_Get_count(&statuses[i], MPI_BYTE, &bytes);
      if (transfer.arrived) *transfer.arrived = static_cast<std::size_t>(bytes);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    moved_ = Clock::now();
    if ((pending_ -= ended) > 0) return true;
    requests_.clear();
    transfers_.clear();
    changed_.notify_all();
    return true;
  }

  /// Sends a heartbeat to the next rank if it is due, and receives the previous rank's heartbeats.
  void beat() {
    const bool last = done();
    if (!said_goodbye_ && (last || since(said_) > std::min(timeout_ / 8, 0.5))) {
      int free = 0;
      MPI_Test(&saying_, &free, MPI_STATUS_IGNORE);
      if (free) {
        said_ = Clock::now();
        goodbye_ = said_goodbye_ = last;
        MPI_Isend(&goodbye_, 1, MPI_INT, (rank_ + 1) % count_, beat_tag, MPI_COMM_WORLD, &saying_);
      }
    }
    for (int heard = 0; !heard_goodbye_;) {
      MPI_Test(&hearing_, &heard, MPI_STATUS_IGNORE);
      if (!heard) break;
      heard_ = Clock::now();
      heard_goodbye_ = sign_ != 0;
      if (!heard_goodbye_) listen();
    }
  }
  void listen() {
    MPI_Irecv(&sign_, 1, MPI_INT, (rank_ + count_ - 1) % count_, beat_tag, MPI_COMM_WORLD,
              &hearing_);
  }
  /// Ends the job if the previous rank sends no heartbeats, or if this rank waits too long for a
  /// transfer.
  void check_lost() {
    const auto now = Clock::now();
    // If this process was suspended, the others may also have been, so the timeout starts again.
    if (since(looked_) > timeout_ / 2) heard_ = now;
    looked_ = now;
    const int before = (rank_ + count_ - 1) % count_;
    if (!heard_goodbye_ && since(heard_) > timeout_)
      lose(before, "sent no heartbeat for " + rounded(timeout_));
    std::unique_lock<std::mutex> lock(mutex_);
    const double silent = since(moved_);
    if (!waiting_ || silent <= patience_) return;
    lock.unlock();
    std::size_t late = 0;
    while (late < requests_.size() && requests_[late] == MPI_REQUEST_NULL) ++late;
    lose(late < requests_.size() ? transfers_[late].other : before,
         "kept the others waiting for " + rounded(silent));
  }
  [[noreturn]] void lose(int rank, const std::string& how) {
    message_("rank " + std::to_string(rank) + " on " + host(rank) + " " + how + ": ending the job");
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

  /// Sleeps for up to 1 ms while other threads compute; only yields while they wait for transfers.
  /// With two ranks on two processors, sleeping only 0.1 ms took a sixth of the step time.
  void rest() {
    std::unique_lock<std::mutex> lock(mutex_);
    // The system schedules a thread at once after it has slept, but after a yield only when the
    // time slices of the computing threads end.
    if (!waiting_) {
      changed_.wait_for(lock, std::chrono::milliseconds(1),
                        [&] { return waiting_ || !added_.empty(); });
      return;
    }
    lock.unlock();
    std::this_thread::yield();
  }

  static constexpr int data_tag = 0, beat_tag = 1;

  const double timeout_;
  const std::string host_;
  void (*const message_)(const std::string&);
  std::atomic<int> status_{-1};  // exit status that `stop` requested, or -1

  // Shared with the computing threads, protected by the mutex.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Transfer> added_;
  int pending_ = 0;  // number of unfinished transfers
  bool waiting_ = false, ending_ = false;
  double patience_ = 0;      // longest wait for a transfer, in seconds
  Clock::time_point moved_;  // last time a transfer completed, or a wait began or ended

  // Used only by the MPI thread; the first three are constant after the constructor.
  int rank_ = 0, count_ = 0;
  std::vector<std::string> hosts_;
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;  // transfers that have begun
  MPI_Request hearing_ = MPI_REQUEST_NULL, saying_ = MPI_REQUEST_NULL;
  int sign_ = 0, goodbye_ = 0;  // heartbeats received and sent: 1 for a rank's last one, else 0
  bool said_goodbye_ = false, heard_goodbye_ = false;
  Clock::time_point said_, heard_ = Clock::now(), looked_ = Clock::now();

  std::thread thread_;  // last member, since the thread uses all others
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Connection* tapehead_connect(
    const ConnectionSetup& setup) {
  return new Mpi(setup);
}

}  // namespace tapehead
