#pragma once
#include "../../train/step/ranks.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tapehead {

struct Session;

/// The processes that carry out a command together, as one of them sees it: here it is the only
/// one.
class Job {
 public:
  virtual ~Job() = default;
  virtual bool leads() const { return true; }
  virtual int ranks() const { return 0; }  ///< the number of processes; 0: it isn't several
  virtual MakeRanks make_ranks() const { return {}; }

  /// Names and values that must be the same on all ranks: {"other options", text}.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  /// Calls `prepare` on each rank. If a rank throws, or its facts differ from those of rank 0, then
  /// rank 0 throws an error that names the rank, and the others end quietly.
  virtual void agree(const std::function<Facts()>& prepare) { prepare(); }
  /// Returns the text of rank 0.
  virtual std::string broadcast(const std::string& text) const { return text; }
  /// Does the work of this rank. An error that `agree` doesn't know of ends them all, in one line.
  virtual void run(Session&, const std::function<void()>& work) { work(); }
};

}  // namespace tapehead
