#pragma once
#include "file_task.hpp"

namespace tapehead {

/// Converts a text to code points, and back. `utf8` must be valid UTF-8, as `require_utf8` ensures.
std::u32string decode_utf8(const std::string& utf8);
std::string encode_utf8(const std::u32string& points);
/// `'é' (U+00E9)`; for a control character the number only.
std::string quoted(char32_t point);

/// A task whose tokens are the characters of a file: those of --characters, or by default all that
/// occur in --data.
class CharacterTask : public FileTask {
 public:
  Index vocabulary() const override { return static_cast<Index>(alphabet_.size()); }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  TaskOptions recorded_options() const override { return {{"characters", encode_utf8(alphabet_)}}; }

 protected:
  /// As FileTask. `name` is for errors; the characters `always` are added to those of --characters.
  CharacterTask(std::string name, const TaskOptions& options, bool trained,
                const std::u32string& always = {});

  /// The characters of a file, piece by piece: it is never held as a whole.
  static void each_piece(const std::string& path,
                         const std::function<void(const std::u32string&)>& f);
  std::u32string all() const;  ///< those of --data at once
  /// Makes these characters the alphabet, unless it is given.
  void learn(std::u32string points);
  bool has_alphabet() const { return !alphabet_.empty(); }
  /// The token of a character; throws FileError that says `where` in a file an unknown one is.
  int token_at(char32_t point, const std::string& path, const char* where, Index number) const;
  int find(char32_t point) const;  ///< -1: not in the alphabet

 private:
  std::string name_;
  std::u32string alphabet_;  // ascending; a token is an index into it
  std::vector<int> tokens_;  // by code point; -1: not in the alphabet
};

}  // namespace tapehead
