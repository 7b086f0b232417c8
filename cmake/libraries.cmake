# Compiling and linking of the libraries.

# Options of all files. No code reads errno or floating-point exceptions, and loops are faster
# without them. The source code, not the compiler, decides which multiply-adds are fused, so results
# are bitwise identical with all compilers.
add_library(tapehead_common INTERFACE)
target_compile_features(tapehead_common INTERFACE cxx_std_17)
target_compile_options(tapehead_common INTERFACE
  -fno-math-errno -fno-trapping-math -ffp-contract=off)
target_compile_definitions(tapehead_common INTERFACE TAPEHEAD_VERSION="${PROJECT_VERSION}")
target_link_libraries(tapehead_common INTERFACE fmt::fmt Threads::Threads xsimd)
target_include_directories(tapehead_common INTERFACE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR}/include)

# Sanitizer checks that would fail in correct code: xsimd shifts negative numbers, which C++20
# allows, and Clang's check of casts to integers also reports vector lanes that aren't used.
set(unchecked -fno-sanitize=shift-base)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  list(APPEND unchecked -fno-sanitize=float-cast-overflow)
endif()
# Optimization takes most of the compile time, and benefits only computations; other code mostly
# waits. Unoptimized, GCC's intrinsics are macros, which don't compile with xsimd's types.
set(computes
  "$<$<CONFIG:Release>:-O3>;$<$<CONFIG:Debug>:-O1>;$<$<CONFIG:Sanitize>:-O1;${unchecked}>")
set(waits $<$<CONFIG:Release>:-O1>)
if(EMSCRIPTEN)  # for size, since browsers download the whole page
  set(waits -Oz)
elseif(TAPEHEAD_SYSTEM)  # for the size of distributed files; Clang also compiles faster
  set(waits -Os)
endif()
# Options under the sanitizers. -Og inlines the small functions of SIMD vectors.
set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
set(checked -g1 -UNDEBUG -D_GLIBCXX_ASSERTIONS -DTAPEHEAD_NO_POOL -fno-omit-frame-pointer
  ${sanitizers})
set(computes_sanitized -Og ${checked} ${unchecked})
set(waits_sanitized -O0 ${checked})
set(variants "-")
if(TAPEHEAD_SANITIZED)
  list(APPEND variants _sanitized)
endif()

# tapehead_compile_by_folder(TARGET MOST): compiles the files of a folder together, in units of at
# most MOST files, since reading headers takes most of a file's compile time.
function(tapehead_compile_by_folder target most)
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" id)
    math(EXPR unit "(0${count_${id}}) / ${most}")
    math(EXPR count_${id} "0${count_${id}} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # In a unit, a name can shadow a name of another file, which is harmless.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-shadow>)
endfunction()

# add_tapehead_library(NAME SOURCES... [OPTIMIZED] [FIGURES...] [NEEDS...] [LINK...]
#   [INCLUDE...] [HEADERS...]): adds the library tapehead::NAME (tapehead::tapehead for the engine)
# and tapehead_NAME_sanitized. OPTIMIZED optimizes all sources, FIGURES only the listed ones. NEEDS
# are libraries of Tapehead, LINK packages to link, INCLUDE packages of which only headers are used.
# HEADERS are precompiled for all files, by default the headers of `train`.
function(add_tapehead_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" ""
    "SOURCES;FIGURES;NEEDS;LINK;INCLUDE;HEADERS")
  foreach(variant ${variants})
    string(REPLACE "-" "" variant "${variant}")
    set(target tapehead_${name}${variant})
    add_library(${target} STATIC ${arg_SOURCES})
    set(options ${waits${variant}})
    if(arg_OPTIMIZED)
      set(options ${computes${variant}})
    endif()
    target_compile_options(${target} PRIVATE ${options})
    set(targets ${target})
    if(arg_FIGURES)
      add_library(${target}_figures OBJECT ${arg_FIGURES})
      target_compile_options(${target}_figures PRIVATE ${computes${variant}})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_figures>)
      list(APPEND targets ${target}_figures)
    endif()
    foreach(each ${targets})
      # Copies the options: tapehead_common can't be linked, since it isn't exported.
      target_compile_options(${each} PRIVATE
        $<TARGET_PROPERTY:tapehead_common,INTERFACE_COMPILE_OPTIONS>)
      target_compile_definitions(${each} PRIVATE
        $<TARGET_PROPERTY:tapehead_common,INTERFACE_COMPILE_DEFINITIONS>)
      target_include_directories(${each} PRIVATE ${PROJECT_BINARY_DIR}/include
        $<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>)
      foreach(package ${arg_INCLUDE})
        target_include_directories(${each} SYSTEM PRIVATE
          $<TARGET_PROPERTY:${package},INTERFACE_INCLUDE_DIRECTORIES>)
      endforeach()
      target_link_libraries(${each} PUBLIC fmt::fmt PRIVATE Threads::Threads ${arg_LINK})
      tapehead_compile_by_folder(${each} 20)
    endforeach()
    if(arg_HEADERS)
      target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
    elseif(NOT arg_OPTIMIZED)
      target_precompile_headers(${target} REUSE_FROM tapehead_train${variant})
    endif()
    list(TRANSFORM arg_NEEDS REPLACE "(.+)" "tapehead_\\1${variant}" OUTPUT_VARIABLE needed)
    target_link_libraries(${target} PUBLIC ${needed})
    if(variant)
      set_target_properties(${targets} PROPERTIES
        COMPILE_WARNING_AS_ERROR ON EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
  # Source files include each other by relative path; programs include <tapehead/tapehead.hpp>.
  set(exported ${name})
  if("${name}" STREQUAL "engine")
    set(exported tapehead)
  endif()
  set_target_properties(tapehead_${name} PROPERTIES EXPORT_NAME ${exported})
  add_library(tapehead::${exported} ALIAS tapehead_${name})
  set_property(GLOBAL APPEND PROPERTY tapehead_libraries tapehead_${name})
endfunction()

# tapehead_read_once(PROGRAM): precompiles the libraries' headers once, for all programs that call
# this. The programs must have the same compile options.
function(tapehead_read_once program)
  get_property(first GLOBAL PROPERTY first_program)
  if(first)
    target_precompile_headers(${program} REUSE_FROM ${first})
  else()
    target_precompile_headers(${program} PRIVATE <tapehead/cli.hpp>)
    set_property(GLOBAL PROPERTY first_program ${program})
  endif()
endfunction()

# Links to the source folders, so that <tapehead/core/tensor.hpp> also works in a build.
set(folders core nn optim train cli parts)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/tapehead)
foreach(folder ${folders})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/include/tapehead/${folder}
    SYMBOLIC)
endforeach()
