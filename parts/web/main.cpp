// The command in a page. The page calls main with each command line, as a shell would, and
// interrupts a training as Ctrl-C would.
#include "../../cli/app.hpp"
#include "../../core/system/signals.hpp"
#include "../parts.hpp"

#include <emscripten.h>

extern "C" EMSCRIPTEN_KEEPALIVE void tapehead_stop() { tapehead::StopSignals::stop = true; }

// emscripten expects this symbol; Clang would use another one.
int main(int argc, char** argv) __asm__("main");
int main(int argc, char** argv) { return tapehead::run(argc, argv, tapehead::make_registry()); }
