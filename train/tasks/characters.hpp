#pragma once
#include "task.hpp"

#include <functional>

namespace tapehead {

/// A text as code points, and back. `utf8` must be UTF-8, as of `require_utf8`.
std::u32string decode_utf8(const std::string& utf8);
std::string encode_utf8(const std::u32string& points);
/// `'é' (U+00E9)`; of a control character the number alone.
std::string quoted(char32_t point);

/// A task whose tokens are the characters of a file: those of --characters, or as a rule all that
/// occur in --data. A trained one, whose options are complete, can be made without its file: a
/// model generates without it, and whatever needs the file throws the FileError of reading it.
class CharacterTask : public Task {
 public:
  Index vocabulary() const override { return static_cast<Index>(alphabet_.size()); }
  bool has_answers() const override { return false; }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  TaskOptions found() const override { return {{"characters", encode_utf8(alphabet_)}}; }

 protected:
  /// Throws UsageError where neither --data nor a `trained` task's options are given. `name` is for
  /// errors; characters `always` there are added to those of --characters.
  CharacterTask(std::string name, const TaskOptions& options, bool trained,
                const std::u32string& always = {});

  /// Hands over the characters of the file. What that throws as a FileError, or reading does, is
  /// kept for `require_data` where the task is trained.
  void read(const std::function<void(const std::u32string& points)>& take);
  /// Takes all of these characters as the alphabet, unless it is given.
  void learn(std::u32string points);
  /// The token of a character; throws FileError that says `where` in the file the unknown one is.
  int token_at(char32_t point, const char* where, Index number) const;
  int find(char32_t point) const;  ///< -1: not in the alphabet
  /// Throws the error that kept the file from being read.
  void require_data() const;

  std::string path_;

 private:
  std::string name_;
  bool trained_;
  std::u32string alphabet_;  // ascending; a token is an index into it
  std::string why_no_data_;
};

}  // namespace tapehead
