#pragma once
// Messages between the processes of a job.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tapehead {

/// The processes of a job, its ranks, as one of them sees it. The messages from one rank to another
/// arrive in order.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual int rank() const = 0;  ///< from 0 on
  virtual int count() const = 0;
  virtual std::string host(int rank) const = 0;

  /// Sends bytes, which must stay as they are until `wait` returns. Like receive, it returns at
  /// once.
  virtual void send(int to, const void* data, std::size_t bytes) = 0;
  /// Receives at most so many bytes; `arrived`, if given, is set to their number.
  virtual void receive(int from, void* into, std::size_t bytes, std::size_t* arrived = nullptr) = 0;
  /// Returns when all has been sent and received. Another rank that answers nothing for too long
  /// ends the job, unless `patient`: what it does then may take any time.
  virtual void wait(bool patient = false) = 0;
  /// Ends all processes of the job, wherever they are, with this exit status.
  [[noreturn]] virtual void stop(int status) noexcept = 0;
};

/// Returns every rank's text, on rank 0, and nothing on the others.
std::vector<std::string> gather(Connection& connection, const std::string& mine);
/// Copies the bytes of rank 0 to the others, which wait patiently.
void broadcast(Connection& connection, void* data, std::size_t bytes);
/// Returns the text of rank 0 on every rank.
std::string broadcast(Connection& connection, std::string text);

/// One process by itself.
std::unique_ptr<Connection> alone();
/// The processes that a launcher (mpirun, srun) has started together, over MPI, or null where none
/// has. `timeout` in seconds: a rank that gives no sign for so long ends the job. Throws Error if
/// MPI can't be loaded.
std::unique_ptr<Connection> launched(double timeout);

/// What the module with MPI is given, and the function that it has: it is loaded only where a
/// launcher has started this process, and refers to nothing in the program.
struct ConnectionSetup {
  double timeout;
  std::string host;
  void (*message)(const std::string& text);
};
using Connect = Connection* (*)(const ConnectionSetup&);
constexpr const char* connect_name = "tapehead_connect";

}  // namespace tapehead
