#include <tapehead/train/files.hpp>
#include <tapehead/train/tasks.hpp>

#include <algorithm>

namespace tapehead {
namespace {

/// The code points of UTF-8 that was found to be right.
std::u32string decode(const std::string& utf8) {
  std::u32string points;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i++]);
    const int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    char32_t point = more == 0 ? first : first & (0x3f >> more);
    for (int byte = 0; byte < more; ++byte)
      point = point << 6 | (static_cast<unsigned char>(utf8[i++]) & 0x3f);
    points += point;
  }
  return points;
}

std::string encode(const std::u32string& points) {
  std::string utf8;
  for (char32_t point : points) {
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const char32_t mark = more == 0 ? 0 : 0xf0 << (3 - more) & 0xff;
    utf8 += static_cast<char>(mark | point >> 6 * more);
    for (int byte = more - 1; byte >= 0; --byte)
      utf8 += static_cast<char>(0x80 | (point >> 6 * byte & 0x3f));
  }
  return utf8;
}

std::string quoted(char32_t point) {
  const auto number = fmt::format("U+{:04X}", static_cast<std::uint32_t>(point));
  const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  return control ? number : fmt::format("'{}' ({})", encode({point}), number);
}

std::u32string distinct(std::u32string points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// The characters of a file, one after the other. Nine tenths are for training.
class Text : public Task {
 public:
  explicit Text(const TaskOptions& options)
      : path_(options.at("data")),
        context_(whole_option(options, "context", 1, 65536)),
        characters_(distinct(decode(require_utf8(options.at("characters"), "--characters")))) {
    if (path_.empty() && characters_.empty())
      throw UsageError("--data is needed: the text file to learn from");
    const bool trained = !characters_.empty();
    try {
      read();
    } catch (const FileError& error) {
      if (!trained) throw;
      why_no_text_ = error.what();  // a model that is trained speaks without it
    }
  }

  Index vocabulary() const override { return static_cast<Index>(characters_.size()); }
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    const Index first = random.below(training_size() - context_);
    return {window(first, first + context_ + 1), 0};
  }
  /// Windows that overlap by one character: each but the first of all is a target once.
  Index held_out_size() const override {
    return (size() - training_size() - 1 + context_ - 1) / context_;
  }
  Example held_out_example(Index number) const override {
    const Index first = training_size() + number * context_;
    return {window(first, std::min(first + context_ + 1, size())), 0};
  }
  bool has_answers() const override { return false; }

  std::string show(const std::vector<int>& tokens) const override {
    std::u32string points;
    for (int token : tokens) points += characters_.at(static_cast<std::size_t>(token));
    return encode(points);
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> tokens;
    for (char32_t point : decode(require_utf8(text, "text"))) {
      const int token = find(point);
      if (token < 0)
        throw ValueError("text: {} is not among the {} characters that the model knows",
                         quoted(point), vocabulary());
      tokens.push_back(token);
    }
    return tokens;
  }
  TaskOptions found() const override { return {{"characters", encode(characters_)}}; }

 private:
  void read() {
    if (path_.empty()) throw FileError("--data is needed: the text file of this run");
    const std::u32string points = decode(require_utf8(read_file(path_), path_));
    if (characters_.empty()) characters_ = distinct(points);
    text_.reserve(points.size());
    for (char32_t point : points) {
      text_.push_back(find(point));
      if (text_.back() < 0)
        throw FileError("{}: {} at character {} is not among the {} that the model knows", path_,
                        quoted(point), text_.size(), vocabulary());
    }
    // A training window needs one character more than the context, and validation at least two.
    const Index needed = std::max<Index>(11, ((context_ + 1) * 10 + 8) / 9);
    if (static_cast<Index>(points.size()) < needed)
      throw FileError("{}: {} characters, and --context {} needs at least {}", path_, points.size(),
                      context_, needed);
  }

  int find(char32_t point) const {
    const auto at = std::lower_bound(characters_.begin(), characters_.end(), point);
    return at != characters_.end() && *at == point ? static_cast<int>(at - characters_.begin())
                                                   : -1;
  }
  Index size() const {
    if (!why_no_text_.empty()) throw FileError("{}", why_no_text_);
    return static_cast<Index>(text_.size());
  }
  Index training_size() const { return size() * 9 / 10; }
  std::vector<int> window(Index first, Index end) const {
    return {text_.begin() + first, text_.begin() + end};
  }

  std::string path_;
  Index context_;
  std::u32string characters_;  // ascending; a token is a place in it
  std::vector<int> text_;
  std::string why_no_text_;
};

}  // namespace

TaskEntry text_task() {
  TaskEntry entry;
  entry.name = "text";
  entry.summary = "continue a text, character by character";
  entry.teaches = "what a language model is: the next symbol, from those before it";
  entry.expected = "1.9 nats a character on tinyshakespeare";
  entry.options = {{"data", "the text file to learn from, UTF-8", ""},
                   {"context", "characters that the model sees", "64"},
                   {"characters", "the alphabet; as a rule, all that occur in the text", ""}};
  entry.recipe.layers = 4;
  entry.recipe.heads = 4;
  entry.recipe.width = 128;
  entry.recipe.batch = 12;
  entry.recipe.steps = 2000;
  entry.recipe.eval_every = 500;
  entry.recipe.warmup = 100;
  entry.make = [](const TaskOptions& options) { return std::make_unique<Text>(options); };
  return entry;
}

}  // namespace tapehead
