# tapehead_record_commit(TARGET): compiles the project's name and git commit into a program, which
# records them in its runs. Each build looks up the commit, with -dirty if tracked files have
# changed, and compiles again only one line that contains it. Without git or a repository, the
# commit is unknown.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)  # writes the line
  set(commit "")
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=40 --exclude=*
      WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
#include <tapehead/train/runs/program_source.hpp>
static const tapehead::ProgramSource source("@PROJECT@", "@commit@");
]])
  return()
endif()

function(tapehead_record_commit target)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_commit.cpp)
  add_custom_target(${target}_commit VERBATIM BYPRODUCTS ${file} COMMAND ${CMAKE_COMMAND}
    -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR} -D PROJECT=${PROJECT_NAME} -D FILE=${file}
    -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  target_sources(${target} PRIVATE ${file})
  add_dependencies(${target} ${target}_commit)
endfunction()
