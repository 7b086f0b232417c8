# The packages that the libraries need, and the supported versions, which tests/versions tests.

# tapehead_find(PACKAGE TARGET FROM BEFORE DEBIAN): finds a package with FROM <= version < BEFORE,
# or uses TARGET if the enclosing project defines it. DEBIAN is the package's name in Debian;
# further arguments are appended to the message about a missing package.
function(tapehead_find package target from before debian)
  if(NOT TARGET ${target})
    find_package(${package} QUIET)
  endif()
  set(version "${${package}_VERSION}")
  if(TARGET ${target} AND NOT version)
    get_target_property(version ${target} VERSION)
  endif()
  set(needed "Tapehead needs ${from} or newer, before ${before}; Debian's package is ${debian}")
  string(APPEND needed ${ARGN})
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${package} not found. ${needed}")
  elseif(version AND (version VERSION_LESS from OR version VERSION_GREATER_EQUAL before))
    message(FATAL_ERROR "${package} ${version} isn't supported. ${needed}")
  endif()
endfunction()

find_package(Threads REQUIRED)
tapehead_find(fmt fmt::fmt 9 13 libfmt-dev)
tapehead_find(xsimd xsimd 8 15 libxsimd-dev)
tapehead_find(CLI11 CLI11::CLI11 2 3 libcli11-dev)
tapehead_find(nlohmann_json nlohmann_json::nlohmann_json 3.11 4 nlohmann-json3-dev)
