#pragma once
#include "../../train/team.hpp"

namespace tapehead {

struct Session;

/// The processes that carry out a command together, as one of them sees it: here it is the only
/// one.
class Job {
 public:
  virtual ~Job() = default;
  virtual bool leads() const { return true; }
  virtual int ranks() const { return 0; }  ///< the number of processes; 0: it isn't several
  virtual MakeTeam team() const { return {}; }

  /// Prepares something on each rank; what it returns must be the same on all. Otherwise, or where
  /// one throws, rank 0 throws an error that names the rank, and `what` differs there, and the
  /// others end quietly.
  virtual void agree(const char* /*what*/, const std::function<std::string()>& prepare) {
    prepare();
  }
  /// The text of rank 0.
  virtual std::string told(const std::string& text) const { return text; }
  /// Does the work of this rank. An error that `agree` doesn't know of ends them all, in one line.
  virtual void run(Session&, const std::function<void()>& work) { work(); }
};

}  // namespace tapehead
