#include "search.hpp"
#include "../pages/figures/chart.hpp"
#include "../pages/web/page.hpp"
#include "../pages/web/web.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

std::string rate(double lr) { return fmt::format("{:.2g}", lr); }

/// The smoothed loss over the rate, with a mark in each column.
std::string chart(const RangeTest& test, int width) {
  constexpr int rows = 10, label = 8;
  const auto count = static_cast<int>(test.points.size());
  const int columns = std::max(std::min(width - label, count), 1);
  const auto at = [&](int column) {
    return test.points.at(static_cast<std::size_t>(column) * (count - 1) /
                          std::max(columns - 1, 1));
  };
  double low = infinity, high = -infinity;
  for (const RangeTest::Point& point : test.points) {
    low = std::min(low, point.smoothed);
    high = std::max(high, point.smoothed);
  }
  std::vector<std::string> lines(rows + 1, std::string(static_cast<std::size_t>(columns), ' '));
  for (int i = 0; i < columns; ++i) {
    const double share = high > low ? (high - at(i).smoothed) / (high - low) : 0;
    lines.at(static_cast<std::size_t>(std::lround(share * rows))).at(static_cast<std::size_t>(i)) =
        '*';
  }
  std::string text;
  for (int i = 0; i <= rows; ++i) {
    std::string& line = lines.at(static_cast<std::size_t>(i));
    line.erase(line.find_last_not_of(' ') + 1);
    const double loss = high + (low - high) * i / rows;
    std::string row = fmt::format("{:>7} {}", i % 5 == 0 ? fmt::format("{:.2g}", loss) : "", line);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  std::string axis(label, ' ');
  for (int i = 0; i + 8 < columns || i == 0; i += 16) {
    axis.resize(static_cast<std::size_t>(label + i), ' ');
    axis += fmt::format("{:.0e}", at(i).lr);
  }
  return text + axis + "  lr\n";
}

LineChart line_chart(const RateSearch& search) {
  LineChart chart{"Loss over the learning rate of " + search.task,
                  "learning rate",
                  "training loss",
                  true,
                  false,
                  {{"loss", {}, {}}, {"smoothed", {}, {}}}};
  for (const RangeTest::Point& point : search.test.points) {
    for (ChartLine& line : chart.lines) line.x.push_back(point.lr);
    chart.lines[0].y.push_back(point.loss);
    chart.lines[1].y.push_back(point.smoothed);
  }
  if (const int best = search.best(); best >= 0) {
    const double lr = search.trials.at(static_cast<std::size_t>(best)).lr;
    chart.marked = {{lr, "lr " + rate(lr)}};
  }
  return chart;
}

std::string table(const RateSearch& search, const Terminal& terminal) {
  std::vector<std::string> head = {"lr", "held-out loss"};
  if (search.has_answers) head.emplace_back("exact match");
  Table rows(std::vector<Table::Align>(head.size(), Table::Align::right));
  rows.add(head);
  for (const Trial& trial : search.trials) {
    std::vector<std::string> cells = {
        rate(trial.lr), trial.diverged ? "diverged" : fmt::format("{:.4f}", trial.loss)};
    if (search.has_answers) cells.push_back(trial.diverged ? "–" : percent(trial.exact_match));
    rows.add(std::move(cells));
  }
  return rows.text(terminal.width);
}

}  // namespace

int RateSearch::best() const {
  int best = -1;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (!trials[i].diverged &&
        (best < 0 || trials[i].loss < trials.at(static_cast<std::size_t>(best)).loss))
      best = static_cast<int>(i);
  return best;
}

std::vector<std::string> RateSearch::reasons() const {
  std::vector<std::string> all = {
      fmt::format(
          "The rate grew from {} on for {} of {} steps{}.", rate(range.from), test.points.size(),
          range.steps,
          test.diverged
              ? ", when the loss diverged"
              : fmt::format(" to {}, and the loss didn't diverge: a larger --to may show more",
                            rate(range.to))),
      fmt::format("The smoothed loss is lowest at {}, and falls fastest at {}.", rate(test.lowest),
                  rate(test.steepest)),
      fmt::format("Candidate: {}, a tenth of where it is lowest{} (range test of Smith, 2017).",
                  rate(test.candidate()),
                  test.diverged ? ", since there it is about to diverge" : "")};
  const int chosen = best();
  if (chosen < 0) {
    all.push_back("Around it, all runs diverged: try a smaller --to.");
    return all;
  }
  const Trial& trial = trials.at(static_cast<std::size_t>(chosen));
  std::string last =
      fmt::format("Chosen: --lr {} --min-lr {}, with the lowest held-out loss after {}",
                  rate(trial.lr), rate(trial.min_lr), plural(trial_steps, "step"));
  if (chosen == 0 || chosen + 1 == static_cast<int>(trials.size()))
    last += fmt::format("; it is the {} of those tried, so {} rates may be better",
                        chosen == 0 ? "smallest" : "largest", chosen == 0 ? "smaller" : "larger");
  all.push_back(last + ".");
  return all;
}

std::string to_text(const RateSearch& search, const Terminal& terminal) {
  std::string text = "smoothed loss\n" + chart(search.test, terminal.width);
  const std::vector<std::string> reasons = search.reasons();
  for (std::size_t i = 0; i + 1 < reasons.size(); ++i) text += wrapped(reasons[i], terminal.width);
  return text + table(search, terminal) + wrapped(reasons.back(), terminal.width);
}

Json to_json(const RateSearch& search) {
  Json points = Json::array(), trials = Json::array();
  for (const RangeTest::Point& point : search.test.points)
    points.push_back({{"lr", point.lr}, {"loss", point.loss}, {"smoothed", point.smoothed}});
  for (const Trial& trial : search.trials) {
    Json one = {{"lr", trial.lr}, {"min_lr", trial.min_lr}};
    if (trial.diverged) {
      one["diverged"] = true;
    } else {
      one["val_loss"] = trial.loss;
      if (search.has_answers) one["exact_match"] = trial.exact_match;
    }
    trials.push_back(std::move(one));
  }
  const int best = search.best();
  return {{"task", search.task},
          {"lr", best < 0 ? Json() : Json(search.trials.at(static_cast<std::size_t>(best)).lr)},
          {"candidate", search.test.candidate()},
          {"lowest", search.test.lowest},
          {"steepest", search.test.steepest},
          {"diverged", search.test.diverged},
          {"trial_steps", search.trial_steps},
          {"trials", std::move(trials)},
          {"points", std::move(points)},
          {"reasons", search.reasons()}};
}

std::string to_svg(const RateSearch& search) { return to_svg(draw(line_chart(search))); }

std::string to_page(const RateSearch& search) {
  return web_page("Learning rate of " + search.task, {base_css, report_css},
                  {{"title", "Learning rate of " + search.task},
                   {"picture", to_svg(search)},
                   {"lines", search.reasons()},
                   {"text", table(search, Terminal())}},
                  {elements_js, picture_js});
}

}  // namespace tapehead
