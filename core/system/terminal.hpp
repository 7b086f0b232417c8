#pragma once
// The standard streams of a program, and the terminal.

namespace tapehead::system {

enum StandardFile { standard_input = 0, standard_output = 1, standard_error = 2 };

/// Prepares the standard streams. Call it before any input or output. Opens each closed stream on a
/// null device. Otherwise the next opened file, such as a run's lock, would get the stream's number
/// and its output. Writing to such a stream is still an error. On Windows, also sets the console to
/// UTF-8 and turns off the conversion of line ends.
void prepare_standard_files();

bool is_terminal(StandardFile file);
/// Returns whether the terminal of standard output supports escape sequences for cursor and
/// colours.
bool has_escape_sequences();

/// The size of the terminal in characters; zeros if standard output isn't a terminal.
struct TerminalSize {
  int columns = 0, rows = 0;
};
TerminalSize terminal_size();

}  // namespace tapehead::system
