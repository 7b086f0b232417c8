#include "job.hpp"
#include "../../cli/commands/commands.hpp"
#include "../../core/error.hpp"
#include "../../train/files/message.hpp"
#include "exchange.hpp"

#include <chrono>
#include <thread>

namespace tapehead {
namespace {

/// Joins the names and values of facts into one text; a zero byte ends each of them.
std::string joined(const Job::Facts& facts) {
  std::string text = "+";
  for (const auto& [name, value] : facts) text += name + '\0' + value + '\0';
  return text;
}

Job::Facts split(const std::string& text) {
  Job::Facts facts;
  std::string name;
  bool is_name = true;
  for (std::size_t at = 1, end = 0; at < text.size(); at = end + 1, is_name = !is_name) {
    end = text.find('\0', at);
    if (is_name)
      name = text.substr(at, end - at);
    else
      facts.emplace_back(name, text.substr(at, end - at));
  }
  return facts;
}

}  // namespace

MakeRanks RanksJob::make_ranks() const {
  return [connection = connection_](const TrainConfig& config) {
    return std::make_unique<ConnectedRanks>(connection, rounds_gradients(config));
  };
}

std::string RanksJob::find_disagreement(const std::vector<std::string>& all) const {
  const auto name = [&](std::size_t rank) {
    return fmt::format("rank {} on {}", rank, connection_->host(static_cast<int>(rank)));
  };
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank][0] == '-') return fmt::format("{}: {}", name(rank), all[rank].substr(1));
    if (all[0][0] == '-') continue;
    const Job::Facts ours = split(all[0]), theirs = split(all[rank]);
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (theirs.at(i) != ours[i])
        return fmt::format("{} has {} than {}", name(rank), ours[i].first, name(0));
  }
  return "";
}

void RanksJob::agree(const std::function<Facts()>& prepare) {
  std::string mine;
  std::exception_ptr failure;
  try {
    mine = joined(prepare());
  } catch (const std::exception& error) {
    failure = std::current_exception();
    mine = fmt::format("-{}", error.what());
  }
  const std::string found = find_disagreement(gather(*connection_, mine));
  refused_ = !broadcast(failure ? "-" : found).empty();
  if (refused_ && !leads()) throw Refused();
  if (failure) std::rethrow_exception(failure);
  if (refused_) throw UsageError("{}", found);
}

void RanksJob::run(Session& session, const std::function<void()>& work) {
  try {
    work();
  } catch (const Refused&) {
    // Rank 0 prints the reason and exits with an error. Other ranks exit without an error, since
    // after an error a launcher can kill rank 0 before it prints.
  } catch (const std::exception& error) {
    if (refused_) throw;
    // Other ranks wait: if all ranks fail alike, as when the loss isn't finite, only rank 0 prints
    // the error, and ends the job.
    if (!leads()) std::this_thread::sleep_for(std::chrono::seconds(2));
    message(fmt::format("{}: rank {} on {}: {}", session.program, connection_->rank(),
                        connection_->host(connection_->rank()), error.what()));
    connection_->stop(1);
  }
}

}  // namespace tapehead
