# SPDX-License-Identifier: Apache-2.0
# The shared library exports only what its headers declare, and all our names have the prefix, hidden or not.
set -eu
shared=$FCPS_BINARY_DIR/libfcps.so
archives="$FCPS_BINARY_DIR/libfcps.a $FCPS_BINARY_DIR/libfcps_report.a $FCPS_BINARY_DIR/libfcps_lab.a"
failed=0

# one name a line: those that FCPS_API marks, and those that the library shows
declared=$(cat "$FCPS_SOURCE_DIR"/include/fcps/*.h | tr '\n' ' ' | tr ';' '\n' |
  sed -n 's/.*FCPS_API [^(]*[ *]\(fcps_[a-z0-9_]*\)(.*/\1/p' | sort)
shown=$(nm -D --defined-only "$shared" | awk '{ print $3 }' | sort)
[ -n "$declared" ] && [ -n "$shown" ]

for name in $shown; do
  case $name in fcps_*) ;; *) echo "libfcps.so shows $name"; failed=1 ;; esac
  echo "$declared" | grep -qx "$name" || { echo "libfcps.so shows $name, which no public header declares"; failed=1; }
done
for name in $declared; do
  echo "$shown" | grep -qx "$name" || { echo "a public header declares $name, which libfcps.so does not show"; failed=1; }
done

# functions for other files of ours are prefixed too: a program that links the objects must not meet them by chance
# shellcheck disable=SC2086
leaked=$(nm -g --defined-only $archives | awk 'NF == 3 && $3 !~ /^fcps_/ { print $3 }')
[ -z "$leaked" ] || { echo "an archive defines $leaked"; failed=1; }

# the library keeps no state of its own: nothing that can be written, neither for the process nor for a thread. There are
# three exceptions, for what belongs to the whole process: the list of open study files, whose locks do
# (src/base/study_file.h), the count that gives the process its number of BLAS threads back (src/linalg/threads.h), and
# the locks of both with what a fork does to them (src/base/process.h)
# shellcheck disable=SC2086
mutable=$(objdump -t $archives | awk 'NF >= 5 && $(NF-2) ~ /^\.(data|bss|tdata|tbss)$/ && $(NF-1) !~ /^0+$/ && $NF !~ /^(open_files|blas|locks|fork_waiting|fork_counting)$/ { print $NF }')
[ -z "$mutable" ] || { echo "an archive keeps mutable globals: $mutable"; failed=1; }

exit $failed
