#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions of the hot paths under callgrind and compares them with bench/instructions.txt. Unlike times,
# counts do not depend on the other programs of the machine. Fails if a path costs over 10 % more than recorded.
#
#   bench/instructions.sh PROGRAM            PROGRAM is bench_instructions of a release build
#   bench/instructions.sh PROGRAM --record   writes the counts: in a commit of its own that says why they changed
set -eu
program=$1
record=$(dirname "$0")/instructions.txt
skip() { echo "instructions: skipped: $*" >&2; exit 77; }

command -v valgrind >/dev/null || skip 'valgrind is not installed (scripts/setup does it)'
[ -x "$program" ] || skip "$program was not built: valgrind's headers were missing when CMake ran"
# valgrind knows no wider instructions than AVX2, so all machines with AVX2 run the same code
grep -qw avx2 /proc/cpuinfo || skip 'the counts were recorded with AVX2, which this machine does not have'
export OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell

count() {
  valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file=/dev/null "$program" "$1" 2>&1 |
    sed -n 's/.*Collected : //p'
}

if [ "${2-}" = --record ]; then
  for path in $("$program"); do echo "$path $(count "$path")"; done >"$record.new"
  mv "$record.new" "$record"
fi

status=0
while read -r path recorded; do
  now=$(count "$path")
  [ -n "$now" ] || { echo "instructions: $path did not run" >&2; exit 1; }
  verdict=ok
  [ "$now" -le $((recorded + recorded / 10)) ] || { verdict='COSTS MORE'; status=1; }
  echo "$path $now $recorded $verdict" | awk '{ printf "%-18s %12d instructions, %12d recorded, %+6.1f %%  %s %s\n",
                                                $1, $2, $3, 100*($2/$3 - 1), $4, $5 }'
done <"$record"
exit $status
