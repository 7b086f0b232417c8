#pragma once
// A command that several processes carry out together, where a launcher has started them.
#include "../../train/ranks/ranks.hpp"
#include "../commands/commands.hpp"

namespace tapehead {

class Job {
 public:
  /// As launched_ranks.
  explicit Job(double timeout) : ranks_(launched_ranks(timeout)) {}

  Ranks* ranks() const { return ranks_.get(); }  ///< null: one process
  bool leads() const { return !ranks_ || ranks_->rank() == 0; }

  /// Prepares something on each rank; what it returns must be the same on all. Otherwise, or where
  /// one throws, rank 0 throws an error that names the rank, and `what` differs there, and the
  /// others end quietly.
  void agree(const char* what, const std::function<std::string()>& prepare);
  /// The text of rank 0.
  std::string told(const std::string& text) const;
  /// Does the work of this rank. An error that `agree` doesn't know of ends them all, in one line.
  void run(Session& session, const std::function<void()>& work);

 private:
  struct Refused {};

  std::unique_ptr<Ranks> ranks_;
  bool refused_ = false;  // all ranks know
};

}  // namespace tapehead
