#pragma once
// The standard files of a program, and the terminal that they may be.

namespace tapehead::system {

enum StandardFile { standard_input = 0, standard_output = 1, standard_error = 2 };

/// To be called before anything is read or written. A standard file that was closed is opened to
/// nothing: the next file opened, such as a run's lock, would take the place of one, and its text.
/// Writing to it is an error, as it was. Text is UTF-8, with lines that end as they are written.
void prepare_standard_files();

bool is_terminal(StandardFile file);
/// Whether standard output, a terminal, moves its cursor and changes colours when told to by escape
/// sequences.
bool has_escape_sequences();

/// In characters; zeros if standard output isn't a terminal.
struct TerminalSize {
  int columns = 0, rows = 0;
};
TerminalSize terminal_size();

}  // namespace tapehead::system
