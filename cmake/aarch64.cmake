# Builds for aarch64 on an x86-64 Debian, to be run by qemu-aarch64-static (qemu-user-static). It
# needs g++-aarch64-linux-gnu and, after `dpkg --add-architecture arm64` and `apt-get update`,
# libfmt-dev:arm64, zlib1g-dev:arm64 and libpcre2-dev:arm64.
#   cmake -B build/aarch64 -G Ninja --toolchain cmake/aarch64.cmake -D TAPEHEAD_TESTS=OFF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# These have nothing but headers, and those of the machine that builds will do.
set(of_headers /usr/lib/x86_64-linux-gnu/cmake)
set(xsimd_DIR ${of_headers}/xsimd)
# Not pkg-config's word for it, which is about the machine that builds.
set(PKG_CONFIG_EXECUTABLE "")
