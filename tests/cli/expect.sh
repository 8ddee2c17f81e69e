# SPDX-License-Identifier: Apache-2.0
# For tests of the program in sh: each has a folder of its own, which is removed at the end. Expectations report a failure and
# let the test go on. A test ends with exit $failed.
set -eu
fcps=$FCPS_BINARY_DIR/fcps
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0
complain() { echo "$*"; failed=1; }

# what a test needs: without it the test is skipped and says what to install
lack() { echo "skipped: $*"; exit 77; }
need() { command -v "$1" >/dev/null || lack "$1 is missing (Debian: $2)"; } # PROGRAM PACKAGE
need_serve() { ! "$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent' || lack 'fcps was built without libevent (Debian: libevent-dev)'; }
need_libpq() { ! "$fcps" study log 'postgresql:///none?host=/none#x' 2>&1 | grep -q 'built without it' || lack 'fcps was built without libpq (Debian: libpq-dev)'; }

# expect CODE WORDS COMMAND...: the exit code, and words on stdout or stderr, which are left in the files out and err
expect() {
  code=$1 words=$2
  shift 2
  got=0
  "$@" >out 2>err || got=$?
  [ "$got" -eq "$code" ] || complain "$*: exit code $got, expected $code: $(cat out err)"
  grep -q -- "$words" out err || complain "$*: no \"$words\" in: $(cat out err)"
}
