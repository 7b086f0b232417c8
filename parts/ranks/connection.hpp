#pragma once
// Messages between the processes of a job.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tapehead {

/// One process's view of a job's processes, its ranks. The messages from one rank to another arrive
/// in order.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual int rank() const = 0;  ///< from 0 on
  virtual int count() const = 0;
  virtual std::string host(int rank) const = 0;

  /// Begins to send bytes, which must not change until `wait` returns. Like receive, it returns at
  /// once.
  virtual void send(int to, const void* data, std::size_t bytes) = 0;
  /// Begins to receive at most so many bytes; `arrived`, if given, is set to their number.
  virtual void receive(int from, void* into, std::size_t bytes, std::size_t* arrived = nullptr) = 0;
  /// Returns when everything has been sent and received. If another rank keeps this one waiting for
  /// too long, the job ends, unless `patient`.
  virtual void wait(bool patient = false) = 0;
  /// Ends all processes of the job, wherever they are, with this exit status.
  [[noreturn]] virtual void stop(int status) noexcept = 0;
};

/// Returns every rank's text on rank 0, and nothing on the others.
std::vector<std::string> gather(Connection& connection, const std::string& mine);
/// Copies the bytes of rank 0 to the others, which wait for any time.
void broadcast(Connection& connection, void* data, std::size_t bytes);
/// Returns the text of rank 0 on every rank.
std::string broadcast(Connection& connection, std::string text);

/// Returns the connection of one process without others.
std::unique_ptr<Connection> single_process_connection();
/// Connects the processes that a launcher (mpirun, srun) has started together, over MPI. Returns
/// null if no launcher has. The job ends if a rank sends no heartbeat for `timeout` seconds. Throws
/// Error if MPI can't be loaded.
std::unique_ptr<Connection> connect_launched(double timeout);

/// The arguments and the entry function of the MPI module. The module is loaded only in processes
/// that a launcher has started, and uses no symbols of the program.
struct ConnectionSetup {
  double timeout;
  std::string host;
  void (*message)(const std::string& text);
};
using Connect = Connection* (*)(const ConnectionSetup&);
constexpr const char* connect_name = "tapehead_connect";

}  // namespace tapehead
