# SPDX-License-Identifier: Apache-2.0
# No linked file looks for libraries in the working folder: the loader takes an empty element of a RUNPATH for it. All files
# that users get are hardened (cmake/Compiler.cmake).
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

if ! grep -q '^CMAKE_BUILD_TYPE:.*Rel' CMakeCache.txt; then
  echo 'this build is not optimized, so it is not hardened either: the rest is not looked at'
  exit $failed
fi
for file in fcps libfcps.so.*.*.* python/fcps/_fcps*.so robots/libfcps_robots.so; do
  [ -e "$file" ] || continue
  readelf -dW "$file" | grep -q 'BIND_NOW\|Flags:.*NOW' || complain "$file: what it calls could be exchanged (no BIND_NOW)"
  readelf -lW "$file" | grep -q GNU_RELRO || complain "$file: its tables can be written (no RELRO)"
  readelf -lW "$file" | grep 'GNU_STACK.*RWE' && complain "$file: its stack can be executed"
  nm -D "$file" | grep -q 'U __stack_chk_fail' || complain "$file: no stack protector"
  nm -D "$file" | grep -v __stack_chk | grep -q 'U __.*_chk' || complain "$file: no checked functions (_FORTIFY_SOURCE)"
done
# L-BFGS-B is compiled by the distribution
ar t libfcps.a | grep -vx lbfgsb.o >"$work/objects"
readelf -nW libfcps.a 2>/dev/null | grep -c 'x86 feature: IBT, SHSTK' >"$work/guarded" || true
[ "$(uname -m)" != x86_64 ] || [ "$(cat "$work/guarded")" -ge "$(wc -l <"$work/objects")" ] ||
  complain "libfcps.a: $(cat "$work/guarded") of $(wc -l <"$work/objects") objects have -fcf-protection"
# "strong" guards any function with an array; a plain protector would guard those with text alone
nm libfcps.a 2>/dev/null | awk '/:$/ { file = $1 } /U __stack_chk_fail$/ { print file }' | grep -qx 'dense.c.o:' ||
  complain 'libfcps.a: arrays of numbers are not guarded (-fstack-protector-strong)'
exit $failed
