#include <tapehead/cli/answer.hpp>
#include <tapehead/cli/progress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tapehead {
namespace {

constexpr int trend_parts = 7;

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

std::string repeat(const char* text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// Four decimals, or two digits where those would be none.
std::string loss_text(double loss) {
  return loss > 0 && loss < 1e-3 ? fmt::format("{:.1e}", loss) : fmt::format("{:.4f}", loss);
}

}  // namespace

std::string sparkline(const std::vector<double>& values) {
  constexpr const char* heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values)
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  std::string line;
  for (const double value : values) {
    const double height = most > least ? (value - least) / (most - least) : 0;
    line += std::isfinite(value) ? heights[std::lround(7 * height)] : "?";
  }
  return line;
}

Progress::~Progress() {
  if (drawn_ > 0 && terminal_.live) std::fputs("\n", stdout);
}

void Progress::began(const TrainConfig& config, const TaskModel& model, Index first_step) {
  model_ = &model;
  first_ = step_ = first_step;
  steps_ = std::max<Index>(config.steps, 1);
  eval_every_ = config.eval_every;
  start_ = last_step_ = last_draw_ = Clock::now();
  if (first_step > 0) fmt::print("resumed at step {}\n", first_step);
  if (terminal_.live) return;
  print_cells("step", "loss", "held-out", "exact match", "lr", "tok/s", "left");
}

void Progress::stepped(Index step, double lr, const StepResult& result) {
  const auto now = Clock::now();
  if (just_stepped_) {  // speed of the last hundred steps or so
    tokens_ = 0.99 * tokens_ + static_cast<double>(result.tokens);
    seconds_ = 0.99 * seconds_ + seconds_between(last_step_, now);
  }
  just_stepped_ = true;
  last_step_ = now;
  step_ = step, lr_ = lr, loss_ = result.loss;

  const auto part = static_cast<std::size_t>((step - 1) * trend_parts / steps_);
  trend_.resize(std::max(trend_.size(), part + 1), 0);
  counts_.resize(trend_.size(), 0);
  trend_[part] += (result.loss - trend_[part]) / ++counts_[part];

  if (terminal_.live) {
    if (seconds_between(last_draw_, now) > 0.05 || step == steps_) draw();
  } else if (step % std::max<Index>(steps_ / 10, 1) == 0 && !evaluates_at(step)) {
    print_row(step, nullptr);
  }
}

void Progress::evaluated(Index step, const Evaluation& evaluation) {
  just_stepped_ = false;
  step_ = step;
  if (!terminal_.live) return print_row(step, &evaluation);
  if (task_.has_answers()) {
    accuracy_ = fmt::format("acc {:.1f}%", std::floor(evaluation.exact_match * 1000) / 10);
    answer_ = show_answer(*model_, task_, task_.held_out_example(0), greedy(), terminal_);
  } else {
    accuracy_ = "held-out " + loss_text(evaluation.loss);
  }
  draw();
}

bool Progress::evaluates_at(Index step) const {
  return step == steps_ || (eval_every_ > 0 && step % eval_every_ == 0);
}

std::string Progress::rate() const { return seconds_ > 0 ? human(tokens_ / seconds_) : ""; }

std::string Progress::left() const {
  if (step_ == first_) return "";
  const double each = seconds_between(start_, Clock::now()) / static_cast<double>(step_ - first_);
  return clock_time(each * static_cast<double>(steps_ - step_));
}

void Progress::print_row(Index step, const Evaluation* evaluation) const {
  std::string held_out, exact;
  if (evaluation) held_out = loss_text(evaluation->loss);
  if (evaluation && task_.has_answers()) exact = percent(evaluation->exact_match);
  const bool has_stepped = step > first_;
  print_cells(std::to_string(step), has_stepped ? loss_text(loss_) : "", held_out, exact,
              has_stepped ? fmt::format("{:.1e}", lr_) : "", rate(), left());
}

void Progress::print_cells(const std::string& step, const std::string& loss,
                           const std::string& held_out, const std::string& exact,
                           const std::string& lr, const std::string& speed,
                           const std::string& time) const {
  fmt::print("{:>8}  {:>8}  {:>9}{}  {:>8}  {:>6}  {:>8}\n", step, loss, held_out,
             task_.has_answers() ? fmt::format("  {:>12}", exact) : "", lr, speed, time);
  std::fflush(stdout);
}

/// The bar takes what the figures leave; where that is too little, the least telling ones go first.
std::string Progress::bar() const {
  const int share = static_cast<int>(100 * step_ / steps_);
  std::vector<double> trend;
  for (std::size_t i = 0; i < trend_.size(); ++i)
    if (counts_[i] > 0) trend.push_back(trend_[i]);
  struct Figure {
    std::string text;
    int rank;
  };
  std::vector<Figure> figures;
  const auto add = [&](const std::string& text, int rank) {
    if (!text.empty()) figures.push_back({text, rank});
  };
  add(fmt::format("{}/{}", step_, steps_), 5);
  if (step_ > first_) {
    add(fmt::format("loss {} {}", loss_text(loss_), sparkline(trend)), 6);
    add(accuracy_, 3);
    add(fmt::format("lr {:.1e}", lr_), 1);
    if (const std::string speed = rate(); !speed.empty()) add(speed + " tok/s", 2);
    add(left() + " left", 4);
  }
  constexpr int least = 8, most = 30;
  const auto room = [&] {
    int used = 7;
    for (const Figure& figure : figures) used += display_width(figure.text) + 2;
    return terminal_.width - used;
  };
  while (room() < least && figures.size() > 1)
    figures.erase(
        std::min_element(figures.begin(), figures.end(),
                         [](const Figure& a, const Figure& b) { return a.rank < b.rank; }));
  const int length = std::clamp(room(), 1, most);
  const int done = static_cast<int>(length * step_ / steps_);
  std::string line =
      fmt::format("{:3}% {}{}", share, paint(terminal_, Style::good, repeat("━", done)),
                  paint(terminal_, Style::dim, repeat("─", length - done)));
  const char* gap = " ";
  for (const Figure& figure : figures) line += std::exchange(gap, "  ") + figure.text;
  return shorten(line, terminal_.width - 1);
}

/// Goes up to where the lines began, and writes them again.
void Progress::draw() {
  std::string text = bar() + '\n' + answer_;
  if (text.back() == '\n') text.pop_back();
  std::string screen = "\r";
  if (drawn_ > 1) screen += fmt::format("\x1b[{}A", drawn_ - 1);
  screen += "\x1b[J" + text;
  std::fputs(screen.c_str(), stdout);
  std::fflush(stdout);
  drawn_ = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  last_draw_ = Clock::now();
}

}  // namespace tapehead
