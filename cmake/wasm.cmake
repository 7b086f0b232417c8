# Builds the command as a WebAssembly module with Debian's emscripten, for the page of parts/web.
#   cmake --preset web
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Uses Clang 16: Clang 14, emscripten's default, broadcasts a loaded number too late, after its
# place was overwritten. emscripten's libraries are linked with its own tools. xsimd's registers are
# those of SSE2, translated by emscripten's headers. A page opened as a file can't use threads.
set(sysroot /usr/share/emscripten/cache/sysroot)
set(CMAKE_CXX_COMPILER clang++-16)
string(CONCAT CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128"
  " --target=wasm32-unknown-emscripten --sysroot=${sysroot}"
  " -isystem ${sysroot}/include/compat -D__SSE__ -D__SSE2__ -D_LIBCPP_ABI_VERSION=2"
  " -fno-threadsafe-statics -mllvm -disable-lsr")
set(CMAKE_CXX_LINK_EXECUTABLE "em++ -fwasm-exceptions -msimd128 <LINK_FLAGS> <OBJECTS> \
-o <TARGET> <LINK_LIBRARIES>")
include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
