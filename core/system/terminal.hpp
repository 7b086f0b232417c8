#pragma once
// The standard streams of a program, and the terminal.

namespace tapehead::system {

enum StandardFile { standard_input = 0, standard_output = 1, standard_error = 2 };

/// Prepares the standard streams. Call it before any input or output. Opens closed streams to a
/// null device, because otherwise the next opened file, such as a run's lock, would get their
/// number and their output. Writing to such a stream is still an error. Sets text to UTF-8 with
/// unchanged line ends.
void prepare_standard_files();

bool is_terminal(StandardFile file);
/// Returns whether standard output, a terminal, supports escape sequences for cursor and colours.
bool has_escape_sequences();

/// The size of the terminal in characters; zeros if standard output isn't a terminal.
struct TerminalSize {
  int columns = 0, rows = 0;
};
TerminalSize terminal_size();

}  // namespace tapehead::system
