# SPDX-License-Identifier: Apache-2.0
# What is linked looks for libraries in no folder that depends on where somebody stands: the loader takes an empty element of a
# RUNPATH for the working folder.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$FCPS_BINARY_DIR"
failed=0
complain() { echo "$*"; failed=1; }

# every file that this build linked; folders with a cache of their own are other builds
find . -mindepth 1 -type d \( -name CMakeFiles -o -exec test -e '{}/CMakeCache.txt' ';' \) -prune -o \
  -type f \( -perm -u+x -o -name '*.so*' \) -print >"$work/files"
# shellcheck disable=SC2046
readelf -dW $(cat "$work/files") 2>/dev/null >"$work/tags"
[ "$(grep -c NEEDED "$work/tags")" -gt 100 ] || complain 'the linked files were not found'
sed -n 's/^File: //p; s/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/:\2/p' "$work/tags" |
  awk '/^[^:]/ { file = $0; next }
    { n = split(substr($0, 2), folder, ":")
      if (n == 0) print file " has an empty RUNPATH"
      for (i = 1; i <= n; i++) if (folder[i] !~ /^(\/|\$ORIGIN)/) print file " looks for libraries in \"" folder[i] "\"" }' >"$work/relative"
[ ! -s "$work/relative" ] || complain "$(cat "$work/relative")"
exit $failed
