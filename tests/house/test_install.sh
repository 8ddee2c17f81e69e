# SPDX-License-Identifier: Apache-2.0
# The installed tree is complete: a user's program is built against it through pkg-config and through CMake, and runs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$FCPS_BINARY_DIR" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }

library=$(dirname "$(find "$prefix" -name libfcps.so)")
version=$(sed -n 's/^project(fcps VERSION \([0-9.]*\).*/\1/p' "$FCPS_SOURCE_DIR/CMakeLists.txt")
expect() { [ "$2" = "$3" ] || { echo "$1: got '$2', expected '$3'"; exit 1; }; }

# the name of the library has its version, and no file of the tree contains the path of the build
soname=$(objdump -p "$library/libfcps.so" | awk '$1 == "SONAME" { print $2 }')
expect 'soname' "$soname" "libfcps.so.${version%.*}"
[ -e "$library/$soname" ]
if grep -rlI "$FCPS_BINARY_DIR" "$prefix"; then echo 'these files name the build folder'; exit 1; fi

mkdir "$work/user"
cat >"$work/user/main.c" <<'END'
#include <fcps/fcps.h>
#include <stdio.h>

int main(void)
{
  printf("%s, %s\n", fcps_version(), fcps_learner_info_at(0) ? "learners" : "no learner");
  return 0;
}
END
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(fcps 0.1 REQUIRED)
add_executable(user main.c)
target_link_libraries(user PRIVATE fcps::fcps)
END

# through pkg-config
export PKG_CONFIG_PATH="$library/pkgconfig"
expect 'pkg-config version' "$(pkg-config --modversion fcps)" "$version"
# shellcheck disable=SC2046
"$CC" "$work/user/main.c" $(pkg-config --cflags --libs fcps) -o "$work/by-pkg-config"
expect 'program by pkg-config' "$(LD_LIBRARY_PATH=$library "$work/by-pkg-config")" "$version, learners"

# through CMake
cmake -S "$work/user" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >"$work/log" 2>&1 &&
  cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
expect 'program by CMake' "$("$work/build/user")" "$version, learners"

# the program
if [ -e "$FCPS_BINARY_DIR/fcps" ]; then "$prefix/bin/fcps" --help >"$work/log" || { cat "$work/log"; exit 1; }; fi

# a package is built under DESTDIR
DESTDIR=$work/package cmake --install "$FCPS_BINARY_DIR" --prefix /usr >/dev/null
[ -e "$work/package/usr/include/fcps/fcps.h" ]
