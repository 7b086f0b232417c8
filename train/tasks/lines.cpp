#include "../../core/plural.hpp"
#include "characters.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr char32_t end_of_line = U'\n', carriage_return = U'\r';
constexpr Index longest_allowed = 65535;  // largest --context
constexpr int most_memory = 12;           // bytes of memory per byte of text, for lines and tokens
constexpr Index longest_by_itself =
    1024;  // default limit: one very long line would slow down every step

struct Line {
  Index number;  // line number in the file, from 1
  std::u32string points;
};
/// Splits a text into lines, without empty ones. Lines end at LF, at CR LF (Windows), or at CR if
/// the text has no LF (old Macs).
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

/// One example per line of a file. The end-of-line token also comes before each line, so that
/// generation has a token to start from.
class Lines : public CharacterTask {
 public:
  Lines(const std::string& name, const TaskOptions& options, HeldOut held_out)
      : Lines(name, options, held_out, whole_option(options, "context", 0, longest_allowed)) {}

  Index context() const override { return 1 + longest_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    require_data();
    Random random = example_random(seed, step, number);
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
    if (lines.empty()) throw FileError("{}: all lines are empty", path_);
    measure(lines);
    std::u32string points = {end_of_line};
    for (const Line& line : lines) points += line.points;
    learn(std::move(points));
    for (const Line& line : lines) add(line);
    if (!all_held_out_ && (training_.empty() || held_out_.empty()))
      throw FileError(
          "{}: {} of {} in the validation set (one in sixteen, by a hash); add lines, since "
          "training and validation both need at least one",
          path_, held_out_.size(), plural(lines.size(), "line"));
  }

  /// Checks that the context fits the longest line; sets it to that length without --context.
  void measure(const std::vector<Line>& lines) {
    const auto longest = std::max_element(
        lines.begin(), lines.end(),
        [](const Line& a, const Line& b) { return a.points.size() < b.points.size(); });
    const auto length = static_cast<Index>(longest->points.size());
    const Index limit = longest_ > 0 ? longest_ : longest_by_itself;
    if (length > limit)
      throw FileError("{}: line {} has {} characters, expected at most {}{}", path_,
                      longest->number, length, limit,
                      length > longest_allowed ? "" : fmt::format("; pass --context {}", length));
    if (longest_ == 0) longest_ = length;
  }

  /// With a split by text, equal lines are all for training or all for validation, whatever the
  /// alphabet.
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

  Index longest_;  // characters per line; 0 until it is known
  bool by_number_, all_held_out_;
  std::vector<std::vector<int>> training_, held_out_;
};

/// Returns a task entry with the parts that the tasks `lines` and `names` share.
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
          {{"data", "training text, UTF-8, one example per line", ""},
           {"context", "characters per line (0 = length of the longest)", "0"},
           {"characters", "alphabet (default: all characters of the lines)", ""},
           {"split",
            "validation split: by a line's text (equal lines stay together) or by its number",
            "text",
            "",
            {"text", "number"}}},
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
  return lines_entry("lines", "generate lines like the lines of a file, character by character",
                     "the end of a line is a token that the model learns to predict",
                     "loss depends on the file; for a list of names, see names",
                     "--width 128 --batch 64 --lr 0.02 --adam-lr 0.005 --decay 0.5 --steps 1000 "
                     "--eval-every 250");
}

/// The data and model size of Karpathy's makemore. Half the learning rate of other defaults and a
/// longer decay lower the loss by 0.02. Weight averaging, weight decay and 13,000 steps instead of
/// 5,000 lower it by another 0.013.
TaskEntry names_task() {
  return lines_entry("names", "generate names like the names in a list",
                     "the model learns the structure of names from a list",
                     "1.92 nats per character on the validation names of names.txt",
                     "--width 64 --batch 128 --lr 0.01 --adam-lr 0.0025 --decay 0.9 --weight-decay "
                     "0.1 --average 0.995 --steps 13000 --eval-every 1000");
}

}  // namespace tapehead
