#pragma once
#include "file_task.hpp"

namespace tapehead {

/// Convert text to code points and back. `utf8` must be valid UTF-8, as from require_utf8.
std::u32string decode_utf8(const std::string& utf8);
std::string encode_utf8(const std::u32string& points);
/// Returns `'é' (U+00E9)`; for a control character, only the number.
std::string quoted(char32_t point);

/// A task whose tokens are characters: those in --characters or, by default, all that occur in
/// --data.
class CharacterTask : public FileTask {
 public:
  Index vocabulary() const override { return static_cast<Index>(alphabet_.size()); }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  TaskOptions recorded_options() const override { return {{"characters", encode_utf8(alphabet_)}}; }

 protected:
  /// Takes `options` and `trained` as FileTask does. Errors begin with `name`; the characters
  /// `always` are added to --characters.
  CharacterTask(std::string name, const TaskOptions& options, bool trained,
                const std::u32string& always = {});

  /// Calls f with the file's characters in pieces, so that the file isn't held in memory.
  static void each_piece(const std::string& path,
                         const std::function<void(const std::u32string&)>& f);
  std::u32string all() const;  ///< all characters of --data
  /// Sets the alphabet to these characters, unless --characters sets it.
  void learn(std::u32string points);
  bool has_alphabet() const { return !alphabet_.empty(); }
  /// Returns a character's token. Throws FileError with its position (`where`) if it is unknown.
  int token_at(char32_t point, const std::string& path, const char* where, Index number) const;
  int find(char32_t point) const;  ///< returns a token, -1 if not in the alphabet

 private:
  std::string name_;
  std::u32string alphabet_;  // sorted; a token is an index into it
  std::vector<int> tokens_;  // by code point; -1 if not in the alphabet
};

}  // namespace tapehead
