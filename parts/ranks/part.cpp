#include "../../cli/extensions.hpp"
#include "command.hpp"
#include "exchange.hpp"
#include "job.hpp"

namespace tapehead {
namespace {

struct Wire {
  bool rounded = false;
  void options(Fields& f) {
    f(name, rounded, values, "precision of the gradients sent between ranks");
  }

  static constexpr const char* name = "wire";
  static constexpr Choice<bool> values[] = {{"full", false}, {"bf16", true}};
};

Option wire_option() {
  Option option = options_of<Wire>().at(0);
  option.check = [](const TrainConfig& config) {
    if (rounds_gradients(config) && config.dtype == "f64")
      throw UsageError("--wire bf16 requires f32 gradients, but --dtype is f64");
  };
  return option;
}

/// Returns ranks of a single process that round gradients like several ranks, for bitwise identical
/// results.
std::unique_ptr<Ranks> rounding(const TrainConfig& config) {
  return rounds_gradients(config)
             ? std::make_unique<ConnectedRanks>(single_process_connection(), true)
             : nullptr;
}

JobExtension job() {
  const auto timeout = std::make_shared<double>(5);  // default timeout in seconds
  return {[=](const Command& train, const char* heading) {
            train
                .option("--rank-timeout", *timeout,
                        "seconds without a heartbeat from a rank before the job ends")
                .group(heading);
          },
          [=]() -> std::unique_ptr<Job> {
            if (!(*timeout > 0))
              throw UsageError("--rank-timeout must be above 0, not {}", *timeout);
            std::unique_ptr<Connection> connection = connect_launched(*timeout);
            return connection ? std::make_unique<RanksJob>(std::move(connection)) : nullptr;
          }};
}

}  // namespace

bool rounds_gradients(const TrainConfig& config) {
  const auto found = config.own.texts.find(Wire::name);
  return found != config.own.texts.end() && found->second == "bf16";
}

/// Registers distributed training over MPI: the command `launch`, and the options --wire and
/// --rank-timeout of `train`.
void add_ranks(Registry& registry) {
  registry.option(wire_option());
  registry.extend(
      CommandEntry{"launch", add_launch_command, "", CommandEntry::Dashes::are_kept}.in("Train"));
  registry.command_option("rank-timeout");
  registry.extend(RanksExtension{rounding});
  registry.extend(job());
}

}  // namespace tapehead
