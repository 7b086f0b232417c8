#include "progress.hpp"
#include "../../train/files/message.hpp"
#include "../../train/learner.hpp"
#include "answer.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

// Number of sections of the trend; 28, 14 or 7 of them are shown.
constexpr std::size_t trend_parts = 28;

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

std::string loss_text(double loss) { return fixed(loss, 4); }
std::string norm_text(double norm) { return fixed(norm, 3); }

/// Prints a row of the table for output that isn't a terminal: 77 columns.
void print_cells(bool answers, const std::string& step, const std::string& loss,
                 const std::string& held_out, const std::string& exact, const std::string& lr,
                 const std::string& norm, const std::string& speed, const std::string& time) {
  tell("{:>7}  {:>8}  {:>8}{}  {:>7}  {:>9}  {:>6}  {:>7}\n", step, loss, held_out,
       answers ? fmt::format("  {:>11}", exact) : "", lr, norm, speed, time);
}

}  // namespace

std::string sparkline(const std::vector<double>& values) {
  constexpr const char* heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double least = infinity, most = -least;
  for (const double value : values)
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  std::string line;
  for (const double value : values) {
    const double height = most > least ? (value - least) / (most - least) : 0;
    line += std::isfinite(value) ? heights[std::lround(7 * height)] : "?";
  }
  return line;
}

void Progress::began(const TrainConfig& config, const TaskModel& model, Index first_step) {
  model_ = &model;
  first_ = step_ = first_step;
  steps_ = std::max<Index>(config.steps, 1);
  eval_every_ = config.eval_every;
  evaluation_tokens_ =
      static_cast<double>(evaluated_examples(config, task_) * std::max<Index>(task_.context(), 1));
  sums_.assign(trend_parts, 0);
  counts_.assign(trend_parts, 0);
  row_every_ = config.log_every > 0 ? config.log_every : std::max<Index>(steps_ / 10, 1);
  start_ = last_step_ = last_draw_ = last_row_time_ = Clock::now();
  if (first_step > 0) tell("resumed at step {}\n", first_step);
  if (live_) return;
  print_cells(task_.has_answers(), "step", "loss", "val loss", "exact match", "lr", "grad norm",
              "tok/s", "left");
}

void Progress::stepped(Index step, double lr, const StepResult& result) {
  const auto now = Clock::now();
  if (just_stepped_) {  // average over about the last hundred steps
    tokens_ = 0.99 * tokens_ + static_cast<double>(result.tokens);
    seconds_ = 0.99 * seconds_ + seconds_between(last_step_, now);
  }
  just_stepped_ = true;
  last_step_ = now;
  step_ = step;
  lr_ = lr;
  loss_ = result.loss;
  norm_ = result.norm;
  step_tokens_ = static_cast<double>(result.tokens);
  if (std::isfinite(result.loss)) {
    const auto part =
        static_cast<std::size_t>(step - 1) * trend_parts / static_cast<std::size_t>(steps_);
    sums_[part] += result.loss;
    ++counts_[part];
  }
  if (live_) {
    if (!shown_.hint.empty() && seconds_between(start_, now) >= shown_.hint_after)
      say(std::exchange(shown_.hint, ""));
    if (seconds_between(last_draw_, now) > 0.05 || step == steps_) draw();
  } else if (needs_row(step)) {
    print_row(step, nullptr);
  }
}

void Progress::evaluating(Index step, double fraction) {
  const auto now = Clock::now();
  if (fraction_ < 0) evaluation_start_ = just_stepped_ ? last_step_ : now;
  step_ = step;
  fraction_ = fraction;
  if (live_ && seconds_between(last_draw_, now) > 0.1) draw();
}

void Progress::evaluated(Index step, const Evaluation& evaluation) {
  if (fraction_ >= 0) {
    evaluating_ += seconds_between(evaluation_start_, Clock::now());
    ++evaluations_;
    fraction_ = -1;
  }
  just_stepped_ = false;
  step_ = step;
  const std::vector<GeneratedText> texts = generated();
  if (shown_.record && !texts.empty()) shown_.record(step, texts);
  std::string said;
  for (const GeneratedText& text : texts) said += text.lines;
  if (!live_) {
    print_row(step, &evaluation);
    if (!said.empty()) tell("{}", said);
    return;
  }
  held_out_ = task_.has_answers() ? fmt::format("exact match {:.1f}%",
                                                std::floor(evaluation.exact_match * 1000) / 10)
                                  : "validation " + loss_text(evaluation.loss);
  if (task_.has_answers() && shown_.prompts.empty()) {
    const std::vector<Example> examples = informative_examples(
        *model_, task_, next_example_, shown_.examples, evaluation.exact_match == 1);
    said = show_answers(*model_, task_, examples, lines_.terminal());
    next_example_ += static_cast<Index>(examples.size());
  }
  answers_ = said;
  draw();
}

std::vector<GeneratedText> Progress::generated() const {
  if (!shown_.prompts.empty()) return answers_to_prompts();
  if (task_.has_answers() || shown_.examples == 0) return {};
  return first_sample();
}

/// Returns a line for each prompt, or a prompt and an answer.
std::vector<GeneratedText> Progress::answers_to_prompts() const {
  std::vector<GeneratedText> texts;
  for (const Prompt& prompt : shown_.prompts) {
    if (!task_.has_answers()) {
      texts.push_back(sample(prompt.begin));
      continue;
    }
    SampleOptions options = greedy();
    options.tokens = prompt.limit;
    options.end = task_.end_token();
    const std::vector<int> all = generate(*model_, prompt.begin, options);
    const std::vector<int> answer(all.begin() + static_cast<Index>(prompt.begin.size()), all.end());
    const std::string text = task_.show(answer);
    texts.push_back({task_.show(prompt.tokens), text,
                     show_question(task_, prompt.tokens, lines_.terminal()) +
                         shorten("  out  " + visible(text), lines_.terminal().width - 1) + '\n'});
  }
  return texts;
}

/// Returns a sample: a continuation of the first validation characters or of an empty line, or
/// filled-in tokens.
std::vector<GeneratedText> Progress::first_sample() const {
  constexpr std::size_t given = 8;
  const Example first = held_out_example(task_, 0);
  if (fills_in(*model_, task_)) {
    const std::string question = task_.show(question_of(first)),
                      filled = task_.show(fill_in(*model_, first).predicted);
    const std::string line = fmt::format("  sample  {} → {}", visible(question), visible(filled));
    return {{question, filled, shorten(line, lines_.terminal().width - 1) + '\n'}};
  }
  std::vector<int> prompt = first.tokens;
  prompt.resize(std::min(prompt.size(), task_.end_token() >= 0 ? 1 : given));
  if (prompt.empty() || !model_->decode({prompt})) return {};
  return {sample(prompt)};
}

/// Returns a sample drawn with a fixed seed, independent of training.
GeneratedText Progress::sample(const std::vector<int>& prompt) const {
  constexpr Index tokens = 60;
  const int end = task_.end_token();
  SampleOptions options;
  options.temperature = 0.8;
  options.tokens = tokens;
  options.end = end;
  const std::vector<int> all = generate(*model_, prompt, options);
  const auto begin = all.begin() + (end >= 0 ? 1 : 0);  // without the end token that starts a line
  const auto given = all.begin() + static_cast<Index>(prompt.size());
  const std::string line = "  sample  " + visible(task_.show({begin, all.end()}));
  return {task_.show({begin, given}), task_.show({given, all.end()}),
          shorten(line, lines_.terminal().width - 1) + '\n'};
}

bool Progress::needs_row(Index step) const {
  constexpr double most_seconds = 60;
  if (evaluates_at(step)) return false;  // evaluations print a row
  return step % row_every_ == 0 || seconds_between(last_row_time_, last_step_) >= most_seconds;
}

void Progress::stopped() {
  if (!live_ && step_ > last_row_ && step_ > first_) print_row(step_, nullptr);
}

void Progress::noticed(Index step, const std::string& text) {
  const std::string line = fmt::format("step {}: {}", step, text);
  if (!live_) return message(line);
  say(line);
  draw();
}

void Progress::say(const std::string& text) {
  lines_.erase();
  tell("{}", wrapped(visible(text), lines_.terminal().width));
}

bool Progress::evaluates_at(Index step) const {
  return step == steps_ || (eval_every_ > 0 && step % eval_every_ == 0);
}

std::string Progress::rate() const { return seconds_ > 0 ? human(tokens_ / seconds_) : ""; }

std::string Progress::left() const { return step_ == first_ ? "" : clock_time(seconds_left()); }

/// Returns the time for the remaining steps and evaluations.
double Progress::seconds_left() const {
  const bool evaluates = fraction_ >= 0;
  const auto now = Clock::now();
  const double here = evaluates ? seconds_between(evaluation_start_, now) : 0;
  const double stepping = seconds_between(start_, now) - evaluating_ - here;
  const double step = stepping / static_cast<double>(step_ - first_);
  // Before the first evaluation, its cost is estimated as a third of the training time for as many
  // tokens, since it has no backward pass.
  const double each = evaluations_ > 0   ? evaluating_ / static_cast<double>(evaluations_)
                      : step_tokens_ > 0 ? step * evaluation_tokens_ / (3 * step_tokens_)
                                         : 0;
  const double present = !evaluates ? 0 : fraction_ > 0 ? here / fraction_ * (1 - fraction_) : each;
  const Index others = step_ == steps_ ? 0
                       : eval_every_ == 0
                           ? 1
                           : (steps_ + eval_every_ - 1) / eval_every_ - step_ / eval_every_;
  // The last step still has to be evaluated.
  const bool due = !evaluates && just_stepped_ && evaluates_at(step_);
  return step * static_cast<double>(steps_ - step_) + present +
         each * static_cast<double>(others + (due ? 1 : 0));
}

void Progress::print_row(Index step, const Evaluation* evaluation) {
  last_row_ = step;
  last_row_time_ = Clock::now();
  std::string held_out, exact, loss, lr, norm;
  if (evaluation) {
    held_out = loss_text(evaluation->loss);
    exact = percent(evaluation->exact_match);
  }
  if (step > first_) {
    loss = loss_text(loss_);
    lr = fmt::format("{:.1e}", lr_);
    norm = norm_text(norm_);
  }
  print_cells(task_.has_answers(), std::to_string(step), loss, held_out, exact, lr, norm, rate(),
              left());
}

/// Returns the mean loss in each of `parts` equal sections of the run, without untrained ones.
std::vector<double> Progress::trend(std::size_t parts) const {
  std::vector<double> means;
  const std::size_t each = trend_parts / parts;
  for (std::size_t part = 0; part < trend_parts; part += each) {
    double sum = 0, count = 0;
    for (std::size_t i = part; i < part + each; ++i) {
      sum += sums_[i];
      count += counts_[i];
    }
    if (count > 0) means.push_back(sum / count);
  }
  return means;
}

/// Returns the progress bar, which fills the space that the figures leave. If that is too little,
/// the least important figures are dropped. On a wide terminal the trend has more detail.
std::string Progress::bar() const {
  constexpr int least = 6, most = 30;
  const Terminal terminal = lines_.terminal();
  struct Figure {
    std::string text;
    int rank;
  };
  std::vector<Figure> figures;
  const auto room = [&] {
    int used = 5;  // columns of the percentage at the start
    for (const Figure& figure : figures) used += display_width(figure.text) + 2;
    return terminal.width - used;
  };
  const auto add = [&](const std::string& text, int rank) {
    if (!text.empty()) figures.push_back({text, rank});
  };
  add(fmt::format("{}/{}", step_, steps_), 6);
  if (step_ > first_) {
    const std::size_t share = terminal.width < 110 ? 4 : terminal.width < 140 ? 2 : 1;
    add(fmt::format("loss {} {}", loss_text(loss_), sparkline(trend(trend_parts / share))), 7);
    add(held_out_, 4);
    add(fmt::format("lr {:.1e}", lr_), 1);
    add("grad " + norm_text(norm_), 2);
    if (const std::string speed = rate(); fraction_ >= 0)
      add(fmt::format("evaluating {:.0f} %", 100 * fraction_), 6);
    else if (!speed.empty())
      add(speed + " tok/s", 3);
    add(left() + " left", 5);
  }
  while (room() < least && figures.size() > 1)
    figures.erase(
        std::min_element(figures.begin(), figures.end(),
                         [](const Figure& a, const Figure& b) { return a.rank < b.rank; }));
  const int length = std::clamp(room(), 1, most);
  const int done = static_cast<int>(length * step_ / steps_);
  std::string line = fmt::format("{:3}% {}{}", 100 * step_ / steps_,
                                 paint(terminal, Style::good, repeat("━", done)),
                                 paint(terminal, Style::dim, repeat("─", length - done)));
  const char* gap = " ";
  for (const Figure& figure : figures) line += std::exchange(gap, "  ") + figure.text;
  return line + '\n';
}

void Progress::draw() {
  lines_.draw(bar() + answers_);
  last_draw_ = Clock::now();
}

}  // namespace tapehead
