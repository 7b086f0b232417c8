#pragma once
#include "task.hpp"

#include <functional>

namespace tapehead {

/// Converts a text to code points, and back. `utf8` must be valid UTF-8, as `require_utf8` ensures.
std::u32string decode_utf8(const std::string& utf8);
std::string encode_utf8(const std::u32string& points);
/// `'é' (U+00E9)`; for a control character the number only.
std::string quoted(char32_t point);

/// A task whose tokens are the characters of a file: those of --characters, or by default all that
/// occur in --data. A trained task, whose options are complete, can be made without its file: a
/// model can generate without it, and whatever needs the file throws the FileError of reading it.
class CharacterTask : public Task {
 public:
  Index vocabulary() const override { return static_cast<Index>(alphabet_.size()); }
  bool has_answers() const override { return false; }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  TaskOptions found() const override { return {{"characters", encode_utf8(alphabet_)}}; }

 protected:
  /// Throws UsageError if neither --data nor the options of a `trained` task are given. `name` is
  /// for errors; the characters `always` are added to those of --characters.
  CharacterTask(std::string name, const TaskOptions& options, bool trained,
                const std::u32string& always = {});

  /// Calls `take`, which reads the file, and needs so many bytes of memory for each of its bytes.
  /// For a trained task, a FileError is kept for `require_data`.
  void read(int memory, const std::function<void()>& take);
  /// The characters of the file, piece by piece: it is never held as a whole.
  void each_piece(const std::function<void(const std::u32string&)>& f) const;
  std::u32string all() const;  ///< the same at once
  /// Makes these characters the alphabet, unless it is given.
  void learn(std::u32string points);
  bool knows_alphabet() const { return !alphabet_.empty(); }
  /// The token of a character; throws FileError that says `where` in the file an unknown one is.
  int token_at(char32_t point, const char* where, Index number) const;
  int find(char32_t point) const;  ///< -1: not in the alphabet
  /// Throws the error that kept the file from being read.
  void require_data() const;

  std::string path_;

 private:
  std::string name_;
  bool trained_;
  std::u32string alphabet_;  // ascending; a token is an index into it
  std::vector<int> tokens_;  // by code point; -1: not in the alphabet
  std::string why_no_data_;
};

}  // namespace tapehead
