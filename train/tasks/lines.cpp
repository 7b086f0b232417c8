#include "../../core/plural.hpp"
#include "characters.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr char32_t end_of_line = U'\n', carriage_return = U'\r';
constexpr Index longest_allowed = 65535;   // by --context
constexpr int most_memory = 12;            // bytes of the text, its lines and their tokens
constexpr Index longest_by_itself = 1024;  // else: one odd line would make every step slow

struct Line {
  Index number;  // in the file, from 1
  std::u32string points;
};
/// The lines of a text, without empty ones. A line ends at LF, at CR LF as in Windows, or at CR
/// where the text has no LF, as on old Macs.
std::vector<Line> lines_of(const std::u32string& text) {
  const bool is_mac = text.find(end_of_line) == text.npos;
  std::vector<Line> lines;
  Index number = 0;
  for (std::size_t first = 0; first < text.size(); ++number) {
    const std::size_t end =
        std::min(text.find(is_mac ? carriage_return : end_of_line, first), text.size());
    const bool windows = end > first && end < text.size() && text[end - 1] == carriage_return;
    std::u32string points = text.substr(first, end - first - (windows ? 1 : 0));
    if (!points.empty()) lines.push_back({number + 1, std::move(points)});
    first = end + 1;
  }
  return lines;
}

/// The lines of a file, one per example: the end-of-line token also comes before each line, so that
/// generation has something to start from.
class Lines : public CharacterTask {
 public:
  Lines(const std::string& name, const TaskOptions& options, HeldOut held_out)
      : Lines(name, options, held_out, whole_option(options, "context", 0, longest_allowed)) {}

  Index context() const override { return 1 + longest_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    require_data();
    Random random({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    return {training_[random.below(static_cast<Index>(training_.size()))], 1};
  }
  Index held_out_size() const override {
    require_data();
    return static_cast<Index>(held_out_.size());
  }
  Example held_out_example(Index number) const override {
    require_data();
    return {held_out_.at(number), 1};
  }
  std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const auto* lines : {&training_, &held_out_})
      for (const auto& line : *lines) bytes += sizeof line + sizeof(int) * line.capacity();
    return bytes;
  }
  int end_token() const override { return find(end_of_line); }
  TaskOptions recorded_options() const override {
    TaskOptions found = CharacterTask::recorded_options();
    found["context"] = std::to_string(longest_);
    return found;
  }

 private:
  Lines(const std::string& name, const TaskOptions& options, HeldOut held_out, Index longest)
      : CharacterTask(name, options, longest > 0 && !options.at("characters").empty(),
                      {end_of_line}),
        longest_(longest),
        by_number_(options.at("split") == "number"),
        all_held_out_(held_out == HeldOut::all) {
    require_known("--split", options.at("split"), {"text", "number"});
    read(most_memory, [this] { take(lines_of(all())); });
  }

  void take(const std::vector<Line>& lines) {
    if (lines.empty()) throw FileError("{}: no lines but empty ones", path_);
    measure(lines);
    std::u32string points = {end_of_line};
    for (const Line& line : lines) points += line.points;
    learn(std::move(points));
    for (const Line& line : lines) add(line);
    if (!all_held_out_ && (training_.empty() || held_out_.empty()))
      throw FileError("{}: {} of {} held out (one in sixteen, by a hash): more are needed", path_,
                      held_out_.size(), plural(lines.size(), "line"));
  }

  /// The context must hold the longest line; unless --context is given, it becomes that length.
  void measure(const std::vector<Line>& lines) {
    const auto longest = std::max_element(
        lines.begin(), lines.end(),
        [](const Line& a, const Line& b) { return a.points.size() < b.points.size(); });
    const auto length = static_cast<Index>(longest->points.size());
    const Index limit = longest_ > 0 ? longest_ : longest_by_itself;
    if (length > limit)
      throw FileError(
          "{}: line {} has {} characters, and the longest may have {}{}", path_, longest->number,
          length, limit,
          length > longest_allowed ? "" : fmt::format("; --context {} takes it", length));
    if (longest_ == 0) longest_ = length;
  }

  /// Split by their text, equal lines are all on the same side, whatever the alphabet.
  void add(const Line& line) {
    std::vector<int> tokens = {end_token()};
    for (char32_t point : line.points)
      tokens.push_back(token_at(point, path_, "in line", line.number));
    tokens.push_back(end_token());
    std::vector<int> split(line.points.begin(), line.points.end());
    if (by_number_) split = {static_cast<int>(line.number)};
    const bool held_out =
        all_held_out_ || is_held_out(split.data(), static_cast<Index>(split.size()));
    (held_out ? held_out_ : training_).push_back(std::move(tokens));
  }

  Index longest_;  // characters of a line; 0 until it is known
  bool by_number_, all_held_out_;
  std::vector<std::vector<int>> training_, held_out_;
};

/// What the tasks of lines have in common.
TaskEntry lines_entry(const std::string& name, const char* summary, const char* teaches,
                      const char* expected, const std::string& sizes) {
  return {name,
          summary,
          teaches,
          expected,
          recipe("--layers 4 --heads 4 --position rotary --norm rms --qk-norm true --mlp swiglu "
                 "--zero-out true --dropout 0.1 --optimizer muon --min-lr 0 --warmup 10 "
                 "--schedule wsd " +
                 sizes),
          {},
          {{"data", "the text file to learn from, UTF-8, one example per line", ""},
           {"context", "most characters of a line; 0: those of the longest", "0"},
           {"characters", "the alphabet; by default, all that occur in the lines", ""},
           {"split", "what holds a line out: its text (equal lines stay together) or its number",
            "text"}},
          "",
          {"gpt"},
          [name](const TaskOptions& options) {
            return std::make_unique<Lines>(name, options, HeldOut::split);
          },
          [name](const TaskOptions& options) {
            return std::make_unique<Lines>(name, options, HeldOut::all);
          }};
}

}  // namespace

TaskEntry lines_task() {
  return lines_entry("lines", "generate lines like those of a file, character by character",
                     "the end of a line is a token like any other, and is learned like one",
                     "a loss that depends on the file; for a list of names, see names",
                     "--width 128 --batch 64 --lr 0.02 --adam-lr 0.005 --decay 0.5 --steps 1000 "
                     "--eval-every 250");
}

/// The data and the size of Karpathy's makemore. Half the learning rate of other recipes and a
/// longer decay lower the loss by 0.02; averages, weight decay and 13,000 steps instead of 5,000 by
/// 0.013.
TaskEntry names_task() {
  return lines_entry("names", "make up names like those of a list",
                     "what makes a name, learned from a list of names",
                     "1.92 nats per character on names.txt, for names that training never saw",
                     "--width 64 --batch 128 --lr 0.01 --adam-lr 0.0025 --decay 0.9 --weight-decay "
                     "0.1 --average 0.995 --steps 13000 --eval-every 1000");
}

}  // namespace tapehead
