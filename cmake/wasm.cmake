# A toolchain file to build the command for WebAssembly with Debian's emscripten: see parts/web.
#   cmake --preset web
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Compiles with Clang 16, since emscripten's default, Clang 14, miscompiles broadcasts of loaded
# numbers. emscripten's own tools link. xsimd uses SSE2, which emscripten's headers translate.
# Threads are off, since a page opened as a file can't use them.
set(sysroot /usr/share/emscripten/cache/sysroot)
set(CMAKE_CXX_COMPILER clang++-16)
string(CONCAT CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128"
  " --target=wasm32-unknown-emscripten --sysroot=${sysroot}"
  " -isystem ${sysroot}/include/compat -D__SSE__ -D__SSE2__ -D_LIBCPP_ABI_VERSION=2"
  " -fno-threadsafe-statics -mllvm -disable-lsr")
# Kernels are objects and come last, so that most functions have the same numbers in both modules,
# of which the page contains one and the difference: see parts/web/delta.mjs.
set(CMAKE_CXX_LINK_EXECUTABLE "em++ -fwasm-exceptions -msimd128 <LINK_FLAGS> -o <TARGET> \
<LINK_LIBRARIES> <OBJECTS>")
include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
