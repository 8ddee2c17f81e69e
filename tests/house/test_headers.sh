# SPDX-License-Identifier: Apache-2.0
# Every header says itself what it needs: it compiles alone, and a public one also as C++.
set -eu
cd "$FCPS_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -D_POSIX_C_SOURCE=200809L'
case $CC in *clang*) cxx=clang++ ;; *) cxx=g++ ;; esac
failed=0

# a header is compiled through a file that includes it, as a user would
compile() { # compiler and flags, then the include
  compiler=$1 include=$2 suffix=$3
  printf '#include %s\ntypedef int nothing_else;\n' "$include" >"$work/alone.$suffix" # a header may be macros alone
  # shellcheck disable=SC2086
  $compiler $warnings -Iinclude -Ilab/include "$work/alone.$suffix" || { echo "$include does not compile alone: $compiler"; failed=1; }
}

for header in include/fcps/*.h lab/include/fcps/lab/*.h; do
  compile "$CC -std=c17" "<${header#*include/}>" c
  compile "$cxx -std=c++17" "<${header#*include/}>" cpp
done
for header in $(find src lab/[!i]* -name "*.h" ! -path "lab/sim/mujoco/*"); do # that module is built where its library is
  compile "$CC -std=c17 -Isrc -I." "\"${header#src/}\"" c
done
exit $failed
