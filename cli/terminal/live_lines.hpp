#pragma once
#include "terminal.hpp"

namespace tapehead {

/// The last lines on a live terminal, which are redrawn in place. They are cut to the terminal's
/// current width and height.
class LiveLines {
 public:
  explicit LiveLines(const Terminal& terminal) : terminal_(terminal) {}
  /// Leaves the cursor after what it has drawn.
  ~LiveLines();
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  /// Replaces what was drawn before. Each line ends with a newline.
  void draw(const std::string& lines);
  void erase();
  bool drawn() const { return !drawn_.empty(); }
  /// The terminal with its current width.
  Terminal terminal() const;

 private:
  /// The text that erases the lines.
  std::string away() const;

  const Terminal terminal_;
  std::vector<int> drawn_;  // widths of the lines on the screen; the cursor is in the last one
};

}  // namespace tapehead
