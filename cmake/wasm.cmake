# A toolchain file to build the command for WebAssembly with Debian's emscripten: see parts/web.
#   cmake --preset web
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Compiles with Clang 16, since emscripten's default, Clang 14, miscompiles broadcasts of loaded
# numbers. emscripten's own tools link. xsimd uses SSE2, which emscripten's headers translate.
# Threads are off, since a page opened as a file can't use them. libc++'s other std::function is
# smaller.
set(sysroot /usr/share/emscripten/cache/sysroot)
set(CMAKE_CXX_COMPILER clang++-16)
string(CONCAT CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128"
  " --target=wasm32-unknown-emscripten --sysroot=${sysroot}"
  " -isystem ${sysroot}/include/compat -D__SSE__ -D__SSE2__ -D_LIBCPP_ABI_VERSION=2"
  " -fno-threadsafe-statics -mllvm -disable-lsr"
  " -D_LIBCPP_ABI_OPTIMIZED_FUNCTION")
set(CMAKE_CXX_LINK_EXECUTABLE "em++ -fwasm-exceptions -msimd128 <LINK_FLAGS> <OBJECTS> \
-o <TARGET> <LINK_LIBRARIES>")
include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
