// The command as a WebAssembly module. The page calls main once for each command line, like a
// shell, and interrupts training like Ctrl-C.
#include "../../cli/app.hpp"
#include "../../core/system/signals.hpp"
#include "../parts.hpp"

#include <emscripten.h>

extern "C" EMSCRIPTEN_KEEPALIVE void tapehead_stop() { tapehead::StopSignals::stop = true; }

// emscripten expects this symbol; Clang would mangle the name.
int main(int argc, char** argv) __asm__("main");
int main(int argc, char** argv) { return tapehead::run(argc, argv, tapehead::make_registry()); }
