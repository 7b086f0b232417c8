#pragma once
// The runs of a study.
#include "../sweep/planned.hpp"
#include "study.hpp"

namespace tapehead {

/// The options of one `study` command.
struct StudyCall {
  std::string out, data;      ///< folders; empty: default
  Index seeds = 0, jobs = 0;  ///< seeds: 0 = the study's number; jobs: 0 = as many as possible
  bool quick = false;
};

/// A study's rows and runs, before training.
struct StudyPlan {
  std::string out;
  std::size_t seeds = 1;
  std::vector<StudyRow> rows;
  std::vector<SweepRun> runs;  ///< row by row, one run per seed
  Shares shares;
  std::vector<std::string> skipped;  ///< names of the rows without data, with --quick

  const SweepRun& run(std::size_t row, std::size_t seed) const { return runs[row * seeds + seed]; }
};

/// Plans the runs. Throws FileError that names the line of a wrong option, or a missing data file.
StudyPlan plan_study(const Study& study, const StudyCall& call, const Session& session);

/// Trains the runs that aren't complete. Returns false if interrupted. Throws UsageError if the
/// folder has runs of another configuration or of other numerics.
bool train_study(const StudyPlan& plan, bool quiet, Session& session);

}  // namespace tapehead
