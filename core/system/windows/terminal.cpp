#include "../terminal.hpp"
#include "errors.hpp"

#include <fcntl.h>
#include <io.h>

#include <cstdlib>
#include <initializer_list>

namespace tapehead::system {
namespace {

HANDLE handle_of(StandardFile file) {
  return ::GetStdHandle(file == standard_input    ? STD_INPUT_HANDLE
                        : file == standard_output ? STD_OUTPUT_HANDLE
                                                  : STD_ERROR_HANDLE);
}

struct Console {
  UINT input = 0, output = 0;  // the previous code pages
};
Console before;

}  // namespace

void prepare_standard_files() {
  // In text mode Windows would write every line end as two characters.
  for (const StandardFile file : {standard_output, standard_error})
    if (::_setmode(file, _O_BINARY) < 0) ::_open("NUL", _O_RDONLY);
  // The console outlives this program, so its code pages are restored at exit.
  before = {::GetConsoleCP(), ::GetConsoleOutputCP()};
  if (before.output == 0) return;
  std::atexit([] {
    ::SetConsoleCP(before.input);
    ::SetConsoleOutputCP(before.output);
  });
  ::SetConsoleCP(CP_UTF8);
  ::SetConsoleOutputCP(CP_UTF8);
}

bool is_terminal(StandardFile file) {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(file), &mode) != 0;
}

bool has_escape_sequences() {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(standard_output), &mode) != 0 &&
         ::SetConsoleMode(handle_of(standard_output), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

TerminalSize terminal_size() {
  CONSOLE_SCREEN_BUFFER_INFO screen{};
  if (!::GetConsoleScreenBufferInfo(handle_of(standard_output), &screen)) return {};
  const SMALL_RECT& window = screen.srWindow;
  return {window.Right - window.Left + 1, window.Bottom - window.Top + 1};
}

}  // namespace tapehead::system
