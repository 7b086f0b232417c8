# Kernels are compiled for several levels of the x86-64 ABI; the program selects one when it starts.
# kernel_sources: all source files; tapehead_kernels and tapehead_kernels_sanitized: their objects.
set(kernels cross_entropy elementwise norm recurrence rotary rows table updates gemm/products random/bits
  attention/dropout attention/forward attention/backward)
list(TRANSFORM kernels REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/core/kernels/\\1.cpp")
# The C++ file that selects a level.
set(choice ${PROJECT_SOURCE_DIR}/core/kernels/kernels.cpp)
set(kernel_sources ${kernels} ${choice})
set(wasm ${PROJECT_SOURCE_DIR}/core/kernels/wasm.cpp)
list(APPEND kernel_sources ${wasm})
if(EMSCRIPTEN)
  list(APPEND kernels ${wasm})
endif()
set(levels baseline)
set(best baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(options_of_baseline -O1)  # few processors use it, so it is optimized for compile time
  include(CheckCXXSourceRuns)
  set(feature_of_v3 avx2)
  set(feature_of_v4 avx512bw)
  foreach(level v3 v4)
    if(NOT CMAKE_CROSSCOMPILING)
      check_cxx_source_runs(
        "int main() { return !__builtin_cpu_supports(\"${feature_of_${level}}\"); }"
        TAPEHEAD_RUNS_${level})
    endif()
    if(TAPEHEAD_RUNS_${level})
      set(best ${level})
    endif()
    if(TAPEHEAD_RUNS_${level} OR TAPEHEAD_LEVELS STREQUAL "all")
      list(APPEND levels ${level})
    endif()
  endforeach()
  if(TAPEHEAD_LEVELS STREQUAL "best")  # quoted, since `best` is also a variable
    set(levels ${best})
  endif()
endif()
foreach(level v3 v4)
  if(NOT options_of_${level})  # a toolchain file may have set them
    set(options_of_${level} -march=x86-64-${level})
  endif()
endforeach()
# GCC 12 and later miscompile some vector constants that end in zeros: {1.0, 1.0, 0, 0} becomes
# {1, 1, 1, 1}. Copying in pieces of 128 bits is correct.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  list(APPEND options_of_v4 -mmove-max=128 -mstore-max=128)
endif()

# tapehead_add_kernels(SUFFIX OPTIONS LEVELS...): adds an object library for each level,
# tapehead_LEVELSUFFIX, and one with the code that selects a level, tapehead_choiceSUFFIX.
function(tapehead_add_kernels suffix options)
  add_library(tapehead_choice${suffix} OBJECT ${choice})
  target_compile_options(tapehead_choice${suffix} PRIVATE ${computes${suffix}})
  target_link_libraries(tapehead_choice${suffix} PRIVATE tapehead_common)
  foreach(level ${ARGN})
    set(name tapehead_${level}${suffix})
    add_library(${name} OBJECT ${kernels})
    target_link_libraries(${name} PRIVATE tapehead_common)
    target_compile_options(${name} PRIVATE ${options} ${options_of_${level}}
      $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)  # objcopy can't rename or localize unique symbols
    target_compile_definitions(${name} PRIVATE TAPEHEAD_ISA=${level} TAPEHEAD_LEVEL_${level})
    target_precompile_headers(${name} PRIVATE <algorithm> <functional> <memory> <vector>
      <xsimd/xsimd.hpp>)
    target_compile_definitions(tapehead_choice${suffix} PRIVATE TAPEHEAD_LEVEL_${level})
  endforeach()
  if(suffix)  # compiled only when a program links these kernels
    list(TRANSFORM ARGN REPLACE "(.+)" "tapehead_\\1${suffix}" OUTPUT_VARIABLE libraries)
    set_target_properties(tapehead_choice${suffix} ${libraries} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
tapehead_add_kernels("" "${computes}" ${levels})

# Kernels instantiate functions of the standard library with their level's instructions. The linker
# would keep one instance of a function for the whole program, so levels above the baseline rename
# theirs.
set(script ${PROJECT_SOURCE_DIR}/cmake/own_names.cmake)
set(kernel_objects $<TARGET_OBJECTS:tapehead_choice>)
foreach(level ${levels})
  if(level STREQUAL baseline)
    list(APPEND kernel_objects $<TARGET_OBJECTS:tapehead_baseline>)
    continue()
  endif()
  set(named "")
  get_target_property(sources tapehead_${level} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source STEM stem)
    list(APPEND named ${PROJECT_BINARY_DIR}/kernels/${stem}.${level}.o)
  endforeach()
  set(objects $<FILTER:$<TARGET_OBJECTS:tapehead_${level}>,INCLUDE,\\.cpp\\.o>)  # no precompiled header
  add_custom_command(OUTPUT ${named} COMMENT "Naming the kernels of ${level}" VERBATIM
    COMMAND_EXPAND_LISTS DEPENDS ${script} ${objects}
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D OBJCOPY=${CMAKE_OBJCOPY} -D LEVEL=${level}
      -D FOLDER=${PROJECT_BINARY_DIR}/kernels -P ${script} -- ${objects})
  list(APPEND kernel_objects ${named})
endforeach()

# GCC takes minutes to compile kernels with inline address checks, and with checks as function calls
# training is hundreds of times slower. So only the kernels' tests use sanitized kernels. They use
# AVX2 if available: AVX-512 takes twice as long to compile from the same source.
if(TAPEHEAD_SANITIZED)
  set(sanitized_level ${best})
  if(TAPEHEAD_RUNS_v3)
    set(sanitized_level v3)
  endif()
  set(calls --param=asan-instrumentation-with-call-threshold=0)
  tapehead_add_kernels(_sanitized
    "-Og;-finline-small-functions;${checked};${unchecked};$<$<CXX_COMPILER_ID:GNU>:${calls}>" ${sanitized_level})
endif()
