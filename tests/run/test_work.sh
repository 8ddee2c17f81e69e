#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Workers on one study: killed at random, against ledgers kept outside (kill_workers.py). The study is a file, behind a server
# that is killed as well, and, in the long form, in PostgreSQL with its backends terminated and two restarts. The long form has 16
# workers and 200 kills each.
set -eu
fcps=$FCPS_BINARY_DIR/fcps
kill=$FCPS_SOURCE_DIR/tests/run/kill_workers.py
command -v python3 >/dev/null || { echo 'skipped: python3 is missing (Debian: python3)'; exit 77; }
serves=yes
"$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent' && serves=

if [ -z "${FCPS_TEST_LONG-}" ]; then
  python3 "$kill" --fcps "$fcps" --workers 3 --kills 4 --trials 12 --lease 2
  [ -z "$serves" ] || python3 "$kill" --fcps "$fcps" --workers 3 --kills 3 --trials 10 --lease 2 --serve --restarts 2
  exit
fi
python3 "$kill" --fcps "$fcps" --workers 16 --kills 200 --trials 1500 --lease 10
[ -z "$serves" ] || python3 "$kill" --fcps "$fcps" --workers 16 --kills 200 --trials 1500 --lease 10 --serve --restarts 20
code=0
python3 "$kill" --fcps "$fcps" --workers 16 --kills 200 --trials 1500 --lease 10 --server --restarts 2 || code=$?
[ "$code" -ne 77 ] || echo 'skipped: the part with PostgreSQL, see above'
[ "$code" -eq 77 ] || exit "$code"
