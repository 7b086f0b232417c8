#pragma once
// The processes that train one model together, and what they say to each other.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tapehead {

/// What a message is about. Those of one kind and number between two ranks arrive in order.
enum class Topic : int { told, gathered, loss, gradient, squares, weights, state, beat };

/// The ranks of a job, as one of them sees it. Rank 0 leads: it has the run's folder and the
/// terminal, and the others follow what it tells them.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual std::string host(int rank) const = 0;

  /// Sends bytes, which stay as they are until `wait` returns; `keep` holds them until then. Like
  /// receive, it returns at once, and may be called from any thread.
  virtual void send(int to, Topic topic, int number, const void* data, std::size_t bytes,
                    std::shared_ptr<const void> keep = {}) = 0;
  /// Receives at most so many bytes; `arrived`, if given, is set to their number.
  virtual void receive(int from, Topic topic, int number, void* into, std::size_t bytes,
                       std::size_t* arrived = nullptr) = 0;
  /// Returns when all has been sent and received. Another rank that answers nothing for too long
  /// ends the job, unless `patient`: what it does then may take any time.
  virtual void wait(bool patient = false) = 0;
  /// Ends all processes of the job, wherever they are, with this exit status.
  [[noreturn]] virtual void stop(int status) noexcept = 0;
};

/// Every rank's text, on rank 0, and nothing on the others.
std::vector<std::string> gathered(Ranks& ranks, const std::string& mine);
/// The text of rank 0, of at most 65,536 bytes, on every rank. Throws Error if it is longer.
std::string told(Ranks& ranks, std::string text = "");
/// Every rank's numbers, one after the other, on every rank; `counts` says how many each has.
std::vector<double> joined(Ranks& ranks, const std::vector<double>& mine,
                           const std::vector<std::size_t>& counts);

/// One process by itself.
std::unique_ptr<Ranks> one_rank();
/// The processes that a launcher has started together (mpirun, srun), over MPI, or null where none
/// has. `timeout` in seconds: a rank that gives no sign for so long ends the job. Throws Error
/// where a launcher has, and this program was built without MPI.
std::unique_ptr<Ranks> launched_ranks(double timeout);

}  // namespace tapehead
