# A toolchain file to build the command for another system as one file without dependencies. Uses
# the Clang in the PyPI package ziglang, which has the C and C++ libraries of all systems.
#   cmake -B build/windows-x86_64 -G Ninja --toolchain cmake/zig.cmake -D TAPEHEAD_SYSTEM=windows-x86_64
# With -D TAPEHEAD_PYTHON=3.11, builds the module _core for that Python on any Linux since 2012.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAPEHEAD_SYSTEM TAPEHEAD_ZIG TAPEHEAD_PYTHON)
set(systems linux-x86_64 linux-aarch64 windows-x86_64 macos-x86_64 macos-aarch64)
if(NOT TAPEHEAD_SYSTEM IN_LIST systems)
  list(JOIN systems ", " systems)
  message(FATAL_ERROR "TAPEHEAD_SYSTEM must be one of ${systems}, got '${TAPEHEAD_SYSTEM}'")
endif()
set(TAPEHEAD_ZIG ${CMAKE_CURRENT_LIST_DIR}/../build/zig/bin/zig CACHE FILEPATH "Zig")

string(REGEX REPLACE "-.*" "" system ${TAPEHEAD_SYSTEM})
string(REGEX REPLACE ".*-" "" CMAKE_SYSTEM_PROCESSOR ${TAPEHEAD_SYSTEM})
set(name_of_linux Linux)
set(name_of_windows Windows)
set(name_of_macos Darwin)
set(CMAKE_SYSTEM_NAME ${name_of_${system}})
set(abi_of_linux linux-musl)
set(abi_of_windows windows-gnu)
set(abi_of_macos macos.11.0-none)
if(TAPEHEAD_SYSTEM STREQUAL macos-x86_64)
  set(abi_of_macos macos.10.15-none)
endif()
if(TAPEHEAD_PYTHON)
  set(abi_of_linux linux-gnu.2.17)  # for the tag manylinux_2_17
endif()
set(target ${CMAKE_SYSTEM_PROCESSOR}-${abi_of_${system}})

set(CMAKE_CXX_COMPILER ${TAPEHEAD_ZIG} c++)
set(CMAKE_C_COMPILER ${TAPEHEAD_ZIG} cc)  # for the bundled libraries
# Compiles for the baseline processor, without checks for undefined behaviour, and without this
# machine's paths in the file. By default zig targets this machine's processor and adds checks.
set(cpu_of_x86_64 x86_64)
set(cpu_of_aarch64 generic)
if(TAPEHEAD_SYSTEM STREQUAL macos-aarch64)
  set(cpu_of_aarch64 apple_m1)  # the first Apple processor
endif()
string(CONCAT CMAKE_C_FLAGS_INIT "-target ${target} -mcpu=${cpu_of_${CMAKE_SYSTEM_PROCESSOR}}"
  " -fno-sanitize=undefined -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -static")
if(system STREQUAL macos)
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,-dead_strip")
elseif(TAPEHEAD_PYTHON)  # links dynamically, to the system's glibc
  set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
endif()
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
# The compiler options of the ABI levels, with zig's names of the levels.
set(options_of_v3 -march=x86_64_v3)
set(options_of_v4 -march=x86_64_v4)
foreach(tool ar nm objcopy ranlib)
  string(TOUPPER ${tool} variable)
  find_program(CMAKE_${variable} NAMES llvm-${tool}-16 REQUIRED)
endforeach()
set(CMAKE_RC_COMPILER llvm-windres-16)
set(CMAKE_RC_FLAGS "--target=${CMAKE_SYSTEM_PROCESSOR}-w64-mingw32")
# Finds only libraries compiled for the target system.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_BINARY_DIR}/libraries)
foreach(what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${what} ONLY)
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
