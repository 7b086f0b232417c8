# Builds the command as a WebAssembly module, by Debian's emscripten, for the page of parts/web.
#   cmake --preset web
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# By Clang 16: Clang 14, which emscripten has, loads a number for all lanes of a register too late,
# after what is stored in its place. emscripten's libraries are linked by its own tools.
# xsimd's registers are those of SSE2, which emscripten's headers translate. A browser takes no
# threads from a page that is a file.
set(sysroot /usr/share/emscripten/cache/sysroot)
set(CMAKE_CXX_COMPILER clang++-16)
string(CONCAT CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128"
  " --target=wasm32-unknown-emscripten --sysroot=${sysroot}"
  " -isystem ${sysroot}/include/compat -D__SSE__ -D__SSE2__ -D_LIBCPP_ABI_VERSION=2"
  " -fno-threadsafe-statics -mllvm -disable-lsr")
set(CMAKE_CXX_LINK_EXECUTABLE "em++ -fwasm-exceptions -msimd128 <LINK_FLAGS> <OBJECTS> \
-o <TARGET> <LINK_LIBRARIES>")
include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
