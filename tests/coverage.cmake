# What tests/coverage measures; included in the scope of the whole project, where its sources are.
foreach(pattern ${TAPEHEAD_MEASURED})
  file(GLOB measured ${CMAKE_CURRENT_LIST_DIR}/../${pattern})
  set_source_files_properties(${measured} PROPERTIES COMPILE_OPTIONS "--coverage;-fprofile-update=atomic;-O0")
endforeach()
add_link_options(--coverage)
