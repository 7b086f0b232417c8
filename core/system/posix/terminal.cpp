#include "../terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tapehead::system {

void prepare_standard_files() {
  for (const int file : {standard_input, standard_output, standard_error})
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
}

bool is_terminal(StandardFile file) { return ::isatty(file) != 0; }

bool has_escape_sequences() {
  const char* const term = std::getenv("TERM");
  return !term || std::string_view(term) != "dumb";
}

TerminalSize terminal_size() {
  winsize size{};
  if (::ioctl(standard_output, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace tapehead::system
