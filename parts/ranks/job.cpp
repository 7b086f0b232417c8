#include "job.hpp"
#include "../../cli/commands/commands.hpp"
#include "../../core/error.hpp"
#include "../../train/message.hpp"
#include "team.hpp"

namespace tapehead {

MakeTeam RanksJob::team() const {
  return [ranks = ranks_.get()](Module& model, const TrainConfig& config) {
    return std::make_unique<RankTeam>(*ranks, model, rounds(config));
  };
}

void RanksJob::agree(const char* what, const std::function<std::string()>& prepare) {
  std::string mine;
  std::exception_ptr failure;
  try {
    mine = '+' + prepare();
  } catch (const std::exception& error) {
    failure = std::current_exception();
    mine = fmt::format("-{}", error.what());
  }
  const std::vector<std::string> all = gathered(*ranks_, mine);
  std::string objection;
  for (std::size_t rank = 1; rank < all.size() && objection.empty(); ++rank) {
    const auto other = static_cast<int>(rank);
    if (all[rank][0] == '-')
      objection = fmt::format("rank {} on {}: {}", rank, ranks_->host(other), all[rank].substr(1));
    else if (all[rank] != mine)
      objection = fmt::format("rank {} on {} has {} than rank 0 on {}", rank, ranks_->host(other),
                              what, ranks_->host(0));
  }
  refused_ = !tapehead::told(*ranks_, failure ? "-" : objection).empty();
  if (refused_ && !leads()) throw Refused();
  if (failure) std::rethrow_exception(failure);
  if (refused_) throw UsageError("{}", objection);
}

std::string RanksJob::told(const std::string& text) const { return tapehead::told(*ranks_, text); }

void RanksJob::run(Session& session, const std::function<void()>& work) {
  try {
    work();
  } catch (const Refused&) {
    // Rank 0 says why, and has the status: a launcher may end it once another has one.
  } catch (const std::exception& error) {
    if (refused_) throw;
    message(fmt::format("{}: rank {} on {}: {}", session.program, ranks_->rank(),
                        ranks_->host(ranks_->rank()), error.what()));
    ranks_->stop(1);
  }
}

}  // namespace tapehead
