# `cpack -G DEB` makes one package. What the command needs are dependencies; what a program of the
# user's own needs to compile with the library are recommended, which apt installs unless told not
# to.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Debian's policy asks for a maintainer, a name with an address, and CPack fails without one. That
# is whoever makes the package, as Debian's tools know them when the build is configured: by
# DEBFULLNAME and DEBEMAIL. Where these aren't set it is the authors, who have no common address,
# and this one says so: RFC 2606 keeps .invalid for names that never exist, so no mail goes to a
# stranger.
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
set(recommended g++ cmake libxtensor-dev libfmt-dev libssl-dev zlib1g-dev
  libpcre2-dev)
if(MPI)
  list(APPEND recommended libopenmpi-dev)
endif()
list(JOIN recommended ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
include(CPack)
