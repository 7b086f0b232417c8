#pragma once
#include "../../train/step/ranks.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tapehead {

struct Session;

/// The processes that run a command together. This default implementation is a single process.
class Job {
 public:
  virtual ~Job() = default;
  virtual bool leads() const { return true; }
  virtual int ranks() const { return 0; }  ///< number of processes; 0: no distributed training
  virtual MakeRanks make_ranks() const { return {}; }

  /// Names and values that must be the same on all ranks: {"other options", text}.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  /// Calls `prepare` on each rank. If a rank throws, or its facts differ from the facts of rank 0,
  /// rank 0 throws an error that names the rank, and the other ranks exit silently.
  virtual void agree(const std::function<Facts()>& prepare) { prepare(); }
  /// Returns the text of rank 0.
  virtual std::string broadcast(const std::string& text) const { return text; }
  /// Runs the work of this rank. An error outside `agree` ends all ranks with one line.
  virtual void run(Session&, const std::function<void()>& work) { work(); }
};

}  // namespace tapehead
