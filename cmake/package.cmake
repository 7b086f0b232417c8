# Installation and the Debian package. A build folder is also a CMake package, so that the command
# can compile user code with its libraries.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tapehead)
get_property(libraries GLOBAL PROPERTY tapehead_libraries)
get_property(parts GLOBAL PROPERTY tapehead_parts)
install(TARGETS tapehead-cli)
install(TARGETS ${libraries} EXPORT tapehead-targets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/tapehead)
install(DIRECTORY include/tapehead/ DESTINATION ${headers} FILES_MATCHING PATTERN *.hpp)
install(DIRECTORY core nn optim train cli DESTINATION ${headers} FILES_MATCHING PATTERN *.hpp)
install(FILES parts/parts.hpp DESTINATION ${headers}/parts)
set(needs "")
set(debian_packages "")
foreach(part ${parts})
  install(DIRECTORY parts/${part} DESTINATION ${headers}/parts FILES_MATCHING PATTERN *.hpp
    REGEX "/(tests|exercises|src)/" EXCLUDE)
  get_property(needed GLOBAL PROPERTY tapehead_needs_of_${part})
  get_property(package GLOBAL PROPERTY tapehead_package_of_${part})
  get_property(debian GLOBAL PROPERTY tapehead_debian_of_${part})
  string(APPEND needs "set(needs_of_${part} ${needed})\nset(package_of_${part} ${package})\n")
  list(APPEND debian_packages ${debian})
endforeach()
list(REMOVE_DUPLICATES debian_packages)
list(REMOVE_ITEM parts python)
write_basic_package_version_file(tapehead-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/tapehead-config.cmake ${PROJECT_BINARY_DIR}/tapehead-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tapehead-config.cmake
  ${PROJECT_BINARY_DIR}/tapehead-config-version.cmake cmake/FindPCRE2.cmake
  cmake/tapehead_record_commit.cmake DESTINATION ${package_dir})
foreach(file FindPCRE2 tapehead_record_commit)
  configure_file(cmake/${file}.cmake ${PROJECT_BINARY_DIR}/${file}.cmake COPYONLY)
endforeach()
install(EXPORT tapehead-targets NAMESPACE tapehead:: DESTINATION ${package_dir})
export(EXPORT tapehead-targets NAMESPACE tapehead:: FILE ${PROJECT_BINARY_DIR}/tapehead-targets.cmake)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# `cpack -G DEB` creates one package. It depends on the packages that the command needs, and
# recommends the packages to compile user programs; apt installs recommended packages by default.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Debian packages need a maintainer with an address. Like Debian's tools, takes them from
# DEBFULLNAME and DEBEMAIL when the build is configured. By default, names the authors with an
# address that can't belong to anyone, since RFC 2606 reserves .invalid.
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "The Tapehead authors <no-address@tapehead.invalid>")
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(recommended g++ cmake libfmt-dev nlohmann-json3-dev ${debian_packages})
list(JOIN recommended ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
include(CPack)
