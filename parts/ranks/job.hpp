#pragma once
// A command that several processes carry out together, where a launcher has started them.
#include "../../cli/commands/job.hpp"
#include "ranks.hpp"

namespace tapehead {

/// Whether gradients are rounded to bf16 on their way.
bool rounds(const TrainConfig& config);

class RanksJob : public Job {
 public:
  explicit RanksJob(std::unique_ptr<Ranks> ranks) : ranks_(std::move(ranks)) {}

  bool leads() const override { return ranks_->rank() == 0; }
  int ranks() const override { return ranks_->count(); }
  MakeTeam team() const override;
  void agree(const char* what, const std::function<std::string()>& prepare) override;
  std::string told(const std::string& text) const override;
  void run(Session& session, const std::function<void()>& work) override;

 private:
  struct Refused {};

  const std::unique_ptr<Ranks> ranks_;
  bool refused_ = false;  // all ranks know
};

}  // namespace tapehead
