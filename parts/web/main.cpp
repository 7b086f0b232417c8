// The command in a page: the page calls main as a shell would, one line after another, and ends a
// training as Ctrl-C would.
#include "../../cli/app.hpp"
#include "../../core/system/signals.hpp"
#include "../parts.hpp"

#include <emscripten.h>

extern "C" EMSCRIPTEN_KEEPALIVE void tapehead_stop() { tapehead::StopSignals::stop = true; }

// emscripten looks for this name, where Clang would have another.
int main(int argc, char** argv) __asm__("main");
int main(int argc, char** argv) { return tapehead::run(argc, argv, tapehead::make_registry()); }
