# The documentation is tested: a program for each one that it shows, and a ctest for each page.
find_program(PERL perl REQUIRED)
set(checker ${PERL} ${CMAKE_CURRENT_LIST_DIR}/docs_check.pl)
set(extracted ${CMAKE_CURRENT_BINARY_DIR}/docs)
file(MAKE_DIRECTORY ${extracted})
file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*/*.md
  ${PROJECT_SOURCE_DIR}/docs/*/*/*.md
  ${PROJECT_SOURCE_DIR}/parts/*.md ${PROJECT_SOURCE_DIR}/parts/*/*.md)
foreach(page ${pages})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
  execute_process(COMMAND ${checker} extract ${page} ${extracted}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE programs COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" programs "${programs}")
  string(REGEX REPLACE "\\.md$" "" id ${page})
  string(REGEX REPLACE "[/.-]" "_" id ${id})
  add_custom_target(page_${id} DEPENDS tapehead-cli ${programs})
  foreach(program ${programs})
    add_executable(${program} ${extracted}/${program}.cpp)
    target_link_libraries(${program} PRIVATE tapehead::parts xtensor)
    target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
    tapehead_read_once(${program})
    set_target_properties(${program} PROPERTIES
      CXX_STANDARD 20 RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
  endforeach()
  add_test(NAME ${page} COMMAND ${checker} check ${page} ${PROJECT_BINARY_DIR}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()
# Each op has a page, and each page of docs/ops has an op.
add_test(NAME docs/ops
  COMMAND ${PERL} ${CMAKE_CURRENT_LIST_DIR}/op_pages_check.pl $<TARGET_FILE:tapehead-cli>
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
# docs/guides/options.md lists the options of the program.
add_test(NAME docs/options
  COMMAND ${PERL} ${CMAKE_CURRENT_LIST_DIR}/options_page.pl $<TARGET_FILE:tapehead-cli>
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
# All pages form a site.
if(Python_FOUND)
  add_test(NAME docs/site COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/site_check.py
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
get_property(library_files GLOBAL PROPERTY tapehead_libraries)
list(TRANSFORM library_files REPLACE "(.+)" "$<TARGET_FILE:\\1>")
# symbols_check.pl expects symbol names as in ELF files.
if(NOT APPLE)
  add_test(NAME symbols
    COMMAND ${PERL} ${CMAKE_CURRENT_LIST_DIR}/symbols_check.pl ${CMAKE_NM} ${library_files})
endif()
# Checks the structure of the sources, the English of all texts, and the subjects of commits.
foreach(check structure prose commits)
  add_test(NAME lint/${check} COMMAND ${PERL} ${CMAKE_CURRENT_LIST_DIR}/lint/${check}.pl
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(lint/${check} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
