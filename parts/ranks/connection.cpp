#include "connection.hpp"
#include "../../core/error.hpp"
#include "../../core/system/machine.hpp"
#include "../../core/system/process.hpp"
#include "../../train/files/message.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace tapehead {
namespace {

/// The connection of a job with only one process.
class SingleProcess : public Connection {
  int rank() const override { return 0; }
  int count() const override { return 1; }
  std::string host(int) const override { return "this machine"; }
  void send(int, const void*, std::size_t) override {}
  void receive(int, void*, std::size_t, std::size_t*) override {}
  void wait(bool) override {}
  void stop(int status) noexcept override { std::_Exit(status); }
};

/// Returns the number of processes in the job, from the environment variables of mpirun (Open MPI,
/// MPICH) or srun; 1 without a launcher.
int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS"})
    if (const char* const count = std::getenv(name)) {
      // A Slurm batch shell also has SLURM_NTASKS, but only processes of srun have SLURM_STEP_ID.
      const bool is_step = std::string(name) != "SLURM_NTASKS" || std::getenv("SLURM_STEP_ID");
      if (is_step && std::atoi(count) > 1) return std::atoi(count);
    }
  return 1;
}

/// Returns the path of the MPI module: next to the program, one folder above it (in a build), or in
/// the installation folder. Otherwise returns the bare name, which the system searches for.
std::string module_path() {
  const std::string name = "libtapehead_mpi.so";
  const auto folder = std::filesystem::path(system::program_path()).parent_path();
  for (const std::filesystem::path& path :
       {folder / name, folder.parent_path() / name, folder / TAPEHEAD_MODULE_FOLDER / name})
    if (std::filesystem::exists(path)) return path.string();
  return name;
}

Connect connect_function() {
  try {
    return reinterpret_cast<Connect>(system::load_function(module_path(), connect_name));
  } catch (const Error& error) {
    throw Error("a launcher started {} processes, but MPI can't be loaded: {}",
                launched_processes(), error.what());
  }
}

}  // namespace

std::vector<std::string> gather(Connection& connection, const std::string& mine) {
  std::uint64_t length = mine.size();
  if (connection.rank() > 0) {
    connection.send(0, &length, sizeof length);
    connection.send(0, mine.data(), mine.size());
    connection.wait(true);
    return {};
  }
  std::vector<std::uint64_t> lengths(connection.count(), length);
  for (int other = 1; other < connection.count(); ++other)
    connection.receive(other, &lengths[other], sizeof length);
  connection.wait();
  std::vector<std::string> all(lengths.size(), mine);
  for (int other = 1; other < connection.count(); ++other) {
    all[other].resize(lengths[other]);
    connection.receive(other, all[other].data(), all[other].size());
  }
  connection.wait();
  return all;
}

void broadcast(Connection& connection, void* data, std::size_t bytes) {
  for (int other = 1; other < connection.count(); ++other)
    if (connection.rank() == 0) connection.send(other, data, bytes);
  if (connection.rank() > 0) connection.receive(0, data, bytes);
  connection.wait(connection.rank() > 0);
}

std::string broadcast(Connection& connection, std::string text) {
  std::uint64_t length = text.size();
  broadcast(connection, &length, sizeof length);
  text.resize(length);
  broadcast(connection, text.data(), text.size());
  return text;
}

std::unique_ptr<Connection> single_process_connection() {
  return std::make_unique<SingleProcess>();
}

std::unique_ptr<Connection> connect_launched(double timeout) {
  if (launched_processes() < 2) return nullptr;
  const std::string host = system::host_name();
  std::unique_ptr<Connection> made(connect_function()({timeout, host, message}));
  int before = 0, here = 0;  // number of lower ranks on this machine, and of all ranks on it
  for (int rank = 0; rank < made->count(); ++rank) {
    if (made->host(rank) != host) continue;
    before += rank < made->rank() ? 1 : 0;
    ++here;
  }
  system::pin_to_share(before, here);
  return made;
}

}  // namespace tapehead
