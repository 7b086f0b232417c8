#include "../../core/plural.hpp"
#include "../files/files.hpp"
#include "../tasks/characters.hpp"
#include "text.hpp"
#include "windows.hpp"

namespace tapehead {
namespace {

/// The characters of a file. Nine tenths are for training, or all if --held-out names another file.
class Characters : public Windows<CharacterTask> {
 public:
  Characters(const TaskOptions& options, HeldOut held_out)
      : Windows(options, held_out, "text", options, !options.at("characters").empty()),
        vocabulary_option_(options.at("vocabulary")) {
    read(sizeof(Token), [this] { take(); });
  }

  std::string bytes_of(int token) const override { return show({token}); }
  TaskOptions recorded_options() const override {
    TaskOptions found = CharacterTask::recorded_options();
    found["tokens"] = "characters";
    found["vocabulary"] = vocabulary_option_;
    return found;
  }

 private:
  /// Reads the file once for the alphabet, unless it is given, and once for the tokens.
  void take() {
    if (!has_alphabet()) learn(occurring());
    append(path_);
    if (!held_out_path_.empty()) {
      training_ = size();
      append(held_out_path_);
      return check_sizes();
    }
    if (all_held_out_) return check_sizes();
    // A training window needs context + 1 characters, and validation at least two.
    const Index needed = std::max<Index>(11, ((context_ + 1) * 10 + 8) / 9);
    if (size() < needed)
      throw FileError("{}: {}, but --context {} needs at least {}", path_,
                      plural(size(), "character"), context_, needed);
    training_ = size() * 9 / 10;
  }

  void append(const std::string& path) {
    const Index before = size();
    tokens_.reserve(tokens_.size() + static_cast<std::size_t>(InputFile(path).size()));
    each_piece(path, [&](const std::u32string& points) {
      for (char32_t point : points)
        tokens_.push_back(
            static_cast<Token>(token_at(point, path, "at character", size() - before + 1)));
    });
  }

  /// Returns the distinct characters of the file.
  std::u32string occurring() const {
    std::vector<bool> seen;
    std::u32string points;
    each_piece(path_, [&](const std::u32string& piece) {
      for (char32_t point : piece) {
        if (point >= seen.size()) seen.resize(point + 1);
        if (seen[point]) continue;
        seen[point] = true;
        points += point;
      }
    });
    return points;
  }

  std::string vocabulary_option_;
};

}  // namespace

std::unique_ptr<Task> make_character_text(const TaskOptions& options, HeldOut held_out) {
  return std::make_unique<Characters>(options, held_out);
}

}  // namespace tapehead
