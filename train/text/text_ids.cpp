#include "../files/strings.hpp"
#include "../safetensors/safetensors.hpp"
#include "../tasks/file_task.hpp"
#include "text.hpp"
#include "windows.hpp"

#include <fmt/ranges.h>

#include <charconv>

namespace tapehead {
namespace {

/// Token ids without a tokenizer, shown as numbers: 17 4 256.
class Ids : public Windows<FileTask> {
 public:
  Ids(const TaskOptions& options, HeldOut held_out)
      : Windows(options, held_out, options, !options.at("pairs").empty()) {
    const bool trained = !options.at("pairs").empty();
    if (trained || !options.at("vocabulary").empty())
      vocabulary_ = whole_option(options, "vocabulary", 1, most_ids);
    read(0, [&] {
      open(options);
      check_sizes();
      // The files of a trained model may be large; only the ids that are read are checked.
      if (trained) return;
      const Index largest = ids_->largest(vocabulary_ > 0 ? vocabulary_ : most_ids);
      if (vocabulary_ == 0) vocabulary_ = largest + 1;
    });
  }

  Index vocabulary() const override { return vocabulary_; }
  std::string show(const std::vector<int>& tokens) const override {
    return fmt::format("{}", fmt::join(tokens, " "));
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> ids;
    for (const std::string& word : split_words(text)) {
      int id = -1;
      const char* const end = word.data() + word.size();
      const auto [stop, fault] = std::from_chars(word.data(), end, id);
      if (fault != std::errc() || stop != end || id < 0 || id >= vocabulary_)
        throw ValueError("text: {} is not a token id, expected 0 to {}", quote(word),
                         vocabulary_ - 1);
      ids.push_back(id);
    }
    return ids;
  }
  TaskOptions recorded_options() const override {
    return {{"tokens", "ids"}, {"pairs", "none"}, {"vocabulary", std::to_string(vocabulary_)}};
  }

 private:
  static constexpr Index most_ids = 1 << 20;

  Index vocabulary_ = 0;
};

}  // namespace

std::unique_ptr<Task> make_id_text(const TaskOptions& options, HeldOut held_out) {
  return std::make_unique<Ids>(options, held_out);
}

}  // namespace tapehead
