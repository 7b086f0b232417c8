#pragma once
#include "terminal.hpp"

namespace tapehead {

/// The last lines on a live terminal, which are written again and again in their place. None is
/// wider than the terminal, and there are no more of them than it has, whatever size it is by then.
class LiveLines {
 public:
  explicit LiveLines(const Terminal& terminal) : terminal_(terminal) {}
  /// Behind what it has drawn, for whoever writes next.
  ~LiveLines();
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  /// In place of what was drawn before: lines that each end with a new line.
  void draw(const std::string& lines);
  void erase();
  bool drawn() const { return drawn_ > 0; }
  /// The terminal with the width that it has now.
  Terminal terminal() const;

 private:
  /// Goes up to where the lines began, and takes them away.
  std::string away() const;

  const Terminal terminal_;
  int drawn_ = 0;  // lines on the screen; the cursor is in the last one
};

}  // namespace tapehead
