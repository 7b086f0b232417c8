#include "run_page.hpp"
#include "../../explain/pass.hpp"
#include "page.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

constexpr std::size_t most_bytes = 2'000'000;
constexpr double work = 3000;  // of differences: a few seconds

/// `count` of them, evenly, the first and the last among them; the last alone if it is one.
std::vector<SavedStep> evenly(const std::vector<SavedStep>& saved, std::size_t count) {
  std::vector<SavedStep> result;
  for (std::size_t i = 0; i + 1 < count; ++i)
    result.push_back(saved[i * (saved.size() - 1) / (count - 1)]);
  result.push_back(saved.back());
  return result;
}

}  // namespace

std::string run_page(const std::string& title, const Example& example,
                     const std::vector<SavedStep>& saved, const LoadSaved& load) {
  std::string note;
  const auto page_of = [&](const std::vector<SavedStep>& shown, double differences) {
    std::vector<ExplainedPass> passes;
    std::vector<PageState> states;
    for (const SavedStep& each : shown) {
      LoadedRun run = load(each);
      passes.push_back(explain_pass(run, example));
      if (differences > 0) measure(run, example, passes.back(), differences);
    }
    for (std::size_t i = 0; i < passes.size(); ++i)
      states.push_back({fmt::format("step {}", shown[i].step),
                        fmt::format("{} → {}, loss {:.4f}", passes[i].question, passes[i].answer,
                                    passes[i].loss),
                        &passes[i]});
    return explained_page(title, states, note);
  };
  // A page of one state tells how many there is room for.
  const std::size_t one = page_of({saved.back()}, 0).size();
  for (std::size_t count = std::min(saved.size(), most_bytes * 21 / 20 / one); count > 1; --count) {
    const std::string page = page_of(evenly(saved, count), work / static_cast<double>(count));
    if (page.size() <= most_bytes) return page;
  }
  if (saved.size() > 1)
    note = fmt::format(
        "Of {} checkpoints only the last is here: with another one the page would "
        "be larger than 2 MB. A shorter --prompt leaves room for more.",
        saved.size());
  return page_of({saved.back()}, work);
}

}  // namespace tapehead
