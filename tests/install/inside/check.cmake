# Configures, builds and installs the project in this folder. Fails if more is compiled or installed
# than the project's own files, or if the contents of its installed file are wrong.
#   cmake -D HOW=FetchContent -D BUILD=FOLDER -D COMPILER=g++ -D GENERATOR=Ninja -P check.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message("${output}")
    message(FATAL_ERROR "${command}: ${status}")
  endif()
endfunction()

# expect(WHAT IS SHOULD)
function(expect what is should)
  if(NOT is STREQUAL should)
    message(FATAL_ERROR "${what}: ${is}\nshould be ${should}")
  endif()
endfunction()

cmake_path(SET source NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../..)
cmake_path(GET source PARENT_PATH source)
file(REMOVE_RECURSE ${BUILD})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${BUILD} -G ${GENERATOR} -D HOW=${HOW}
  -D SOURCE=${source} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Debug)

# The project's file is compiled with the project's own options, and Tapehead's include folders.
file(READ ${BUILD}/compile_commands.json all)
set(main ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
string(JSON last LENGTH ${all})
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
  string(JSON file GET ${all} ${i} file)
  if(file STREQUAL main)
    string(JSON command GET ${all} ${i} command)
  endif()
endforeach()
string(REGEX REPLACE " -(I|isystem )[^ ]+| -o .*| -DFMT_SHARED" "" options ${command})
string(REGEX MATCH "^[^ ]+ +(.*)" options ${options})
expect("its options" "${CMAKE_MATCH_1}" "-g -Wall -Wextra -Wconversion -Werror -std=gnu++23")

# Compiles only main.cpp, because compiling the libraries again would take minutes.
string(REGEX REPLACE " -o .*" " -fsyntax-only ${main}" command ${command})
separate_arguments(command UNIX_COMMAND ${command})
run(${command})

run(${CMAKE_COMMAND} --build ${BUILD})
file(GLOB_RECURSE objects RELATIVE ${BUILD} ${BUILD}/*.o ${BUILD}/*.a)
expect("what is built by itself" "${objects}" "")
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUILD}/installed)
file(GLOB_RECURSE installed RELATIVE ${BUILD}/installed ${BUILD}/installed/*)
expect("what is installed" "${installed}" main.cpp)
file(READ ${BUILD}/CPackConfig.cmake package)
if(package MATCHES "CPACK_PACKAGE_NAME \"[Tt]apehead")
  message(FATAL_ERROR "the project's package is called Tapehead")
endif()
