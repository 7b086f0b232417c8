# For a toolchain of another system: of the packages only the headers are used, which are those of this
# machine. They are linked to from a folder of their own, since /usr/include has those of another C
# library, too.
set(TAPEHEAD_PACKAGES_FOUND ON)
set(of_headers ${CMAKE_BINARY_DIR}/packages)
file(MAKE_DIRECTORY ${of_headers})
foreach(package fmt xsimd xtl nlohmann CLI boost xtensor)
  file(CREATE_LINK /usr/include/${package} ${of_headers}/${package} SYMBOLIC)
endforeach()
foreach(target fmt::fmt xsimd nlohmann_json::nlohmann_json CLI11::CLI11 Threads::Threads)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE ${of_headers})
  endif()
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
