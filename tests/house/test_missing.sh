# SPDX-License-Identifier: Apache-2.0
# If something is missing to build the Python package, the error names its Debian package, because users of pip have never
# seen our scripts.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# configures as pip does, without something; the error must have the words
expect_words() { # the words, then what cmake is told
  words=$1
  shift
  rm -rf "$work/build"
  if env "$@" >"$work/log" 2>&1; then echo "configured although something is missing: $*"; exit 1; fi
  tr -s ' \n' '  ' <"$work/log" | grep -qF -- "$words" || { cat "$work/log"; echo "the error does not say: $words"; exit 1; }
}
configure="cmake -S $FCPS_SOURCE_DIR -B $work/build -DSKBUILD=2"

# shellcheck disable=SC2086
expect_words 'apt-get install build-essential' CC=no-such-compiler $configure
# shellcheck disable=SC2086
expect_words 'apt-get install libnlopt-dev libsqlite3-dev' \
  $configure -DCMAKE_DISABLE_FIND_PACKAGE_NLopt=ON -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
# shellcheck disable=SC2086
expect_words 'Debian: python3-dev' $configure -DCMAKE_DISABLE_FIND_PACKAGE_Python=ON
