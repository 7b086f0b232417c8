#pragma once
// Messages between the ranks (processes) of a job.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tapehead {

/// One rank's connection to the other ranks of the job. Messages between two ranks arrive in order.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual int rank() const = 0;  ///< this process's rank, from 0
  virtual int count() const = 0;
  virtual std::string host(int rank) const = 0;

  /// Starts to send bytes and returns at once. The bytes must not change until `wait` returns.
  virtual void send(int to, const void* data, std::size_t bytes) = 0;
  /// Starts to receive at most `bytes` bytes and returns at once. Sets `arrived`, if given, to the
  /// number of bytes received.
  virtual void receive(int from, void* into, std::size_t bytes, std::size_t* arrived = nullptr) = 0;
  /// Waits until all messages are sent and received. Ends the job if another rank takes too long,
  /// unless `patient`.
  virtual void wait(bool patient = false) = 0;
  /// Ends all processes of the job, on all machines, with this exit status.
  [[noreturn]] virtual void stop(int status) noexcept = 0;
};

/// Returns the texts of all ranks on rank 0, and nothing on other ranks.
std::vector<std::string> gather(Connection& connection, const std::string& mine);
/// Copies the bytes on rank 0 to all other ranks, which wait for them without a timeout.
void broadcast(Connection& connection, void* data, std::size_t bytes);
/// Returns rank 0's text on every rank.
std::string broadcast(Connection& connection, std::string text);

/// Returns a connection for a job with a single process.
std::unique_ptr<Connection> single_process_connection();
/// Connects the processes that a launcher (mpirun, srun) started, over MPI. Returns null without a
/// launcher. The connection ends the job if a rank sends no heartbeat for `timeout` seconds. Throws
/// Error if MPI can't be loaded.
std::unique_ptr<Connection> connect_launched(double timeout);

/// The arguments of `Connect`, the entry function of the MPI module. `message` prints a message;
/// the module can't use symbols of the program.
struct ConnectionSetup {
  double timeout;
  std::string host;
  void (*message)(const std::string& text);
};
using Connect = Connection* (*)(const ConnectionSetup&);
constexpr const char* connect_name = "tapehead_connect";

}  // namespace tapehead
