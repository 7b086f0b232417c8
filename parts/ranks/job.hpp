#pragma once
// A job: a command that several processes, which a launcher started, run together.
#include "../../cli/commands/job.hpp"
#include "connection.hpp"

namespace tapehead {

/// Returns whether the configuration rounds gradients to bf16 before sending them.
bool rounds_gradients(const TrainConfig& config);

class RanksJob : public Job {
 public:
  explicit RanksJob(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  bool leads() const override { return connection_->rank() == 0; }
  int ranks() const override { return connection_->count(); }
  MakeRanks make_ranks() const override;
  void agree(const std::function<Facts()>& prepare) override;
  std::string broadcast(const std::string& text) const override {
    return tapehead::broadcast(*connection_, text);
  }
  void run(Session& session, const std::function<void()>& work) override;

 private:
  struct Refused {};
  /// Returns a message about the first rank with an error, or with a fact that differs from rank
  /// 0's; empty if all ranks agree.
  std::string find_disagreement(const std::vector<std::string>& all) const;

  const std::shared_ptr<Connection> connection_;
  bool refused_ = false;  // whether `agree` failed, on all ranks
};

}  // namespace tapehead
