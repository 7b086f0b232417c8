# Builds the command as a WebAssembly module, by Debian's emscripten, for the page of parts/web.
#   cmake --preset web
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# xsimd's registers are those of SSE2, which emscripten's headers translate. A browser takes no
# threads from a page that is a file.
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -mrelaxed-simd -msse2 -fwasm-exceptions")
# Of the packages only the headers are used. They are linked to from a folder of their own, since
# /usr/include has those of another C library too.
set(of_headers ${CMAKE_BINARY_DIR}/packages)
file(MAKE_DIRECTORY ${of_headers})
foreach(package fmt xsimd xtl nlohmann CLI)
  file(CREATE_LINK /usr/include/${package} ${of_headers}/${package} SYMBOLIC)
endforeach()
foreach(target fmt::fmt xsimd nlohmann_json::nlohmann_json CLI11::CLI11 Threads::Threads)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE ${of_headers})
  endif()
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
