#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A disk that is really full: a small tmpfs in a namespace of its own. The test is skipped, with a message, if that is not
# permitted.
set -eu
fcps=$FCPS_BINARY_DIR/fcps

if [ "${1:-}" != inside ]; then
  how=-rm
  [ "$(id -u)" -ne 0 ] || how=-m # root needs no other user for it, and in a chroot there is none
  unshare $how true 2>/dev/null || {
    echo "skipped: mounts of a namespace are not permitted here (unshare $how)"
    exit 77
  }
  exec unshare $how sh "$0" inside
fi

fail() {
  echo "$*" >&2
  exit 1
}

# what must be refused, with an exit code and words
refuse() {
  code=$1 words=$2
  shift 2
  set +e
  "$@" >/dev/null 2>err
  got=$?
  set -e
  [ "$got" = "$code" ] || fail "$*: exit code $got: $(cat err)"
  grep -q "$words" err || fail "$*: no \"$words\" in: $(cat err)"
}

folder=$(mktemp -d)
trap 'cd /; umount "$folder/disk"; rm -r "$folder"' EXIT
mkdir "$folder/disk"
mount -t tmpfs -o size=512k tmpfs "$folder/disk" || {
  echo 'skipped: no tmpfs can be mounted here'
  exit 77
}
cd "$folder"

cat >throw.yaml <<'YAML'
target: {x: [0, 5]}
parameters: {speed: [0, 3]}
outcome: [land]
reward: -abs(x - land)
learner: {name: random}
YAML

fill() {
  dd if=/dev/zero of="disk/filler$1" bs=1k 2>/dev/null || true
}
told() {
  "$fcps" study log disk/throw.fcps --json | wc -l
}

"$fcps" study new disk/throw.fcps --problem throw.yaml >/dev/null
for x in 1 2 3; do "$fcps" study ask disk/throw.fcps --target x=$x >/dev/null; done

# space for one tell was kept when the ask was given out
fill 1
"$fcps" study tell disk/throw.fcps 1 --outcome land=1 >/dev/null || fail 'the space that was kept did not serve'
[ "$(told)" = 1 ] || fail 'the first result is not there'

# space that was not used is kept for the next one
fill 2
"$fcps" study tell disk/throw.fcps 2 --outcome land=2 >/dev/null || fail 'no space was kept for the second result'
[ "$(told)" = 2 ] || fail 'the second result is not there'

# now there is no space: the result is neither stored nor acknowledged
rm -f disk/throw.fcps-reserve
fill 4
refuse 4 'E_STORE_FULL: NOT stored: no space left' "$fcps" study tell disk/throw.fcps 3 --outcome land=3
[ "$(told)" = 2 ] || fail 'a result that was not acknowledged is there'
refuse 4 'E_STORE_FULL' "$fcps" study ask disk/throw.fcps --target x=4
"$fcps" study best disk/throw.fcps --target x=1 >/dev/null || fail 'reading needs space'

# room again: the same tell succeeds, once
rm disk/filler*
"$fcps" study tell disk/throw.fcps 3 --outcome land=3 >/dev/null || fail 'the same tell does not succeed'
"$fcps" study tell disk/throw.fcps 3 --outcome land=3 | grep -q 'was there already' || fail 'the result was stored twice'
[ "$(told)" = 3 ] || fail 'the third result is not there once'

# no command says that it wrote results to a full disk
fill 3
refuse 4 'disk/throw.csv: cannot be written: No space' "$fcps" study export disk/throw.fcps -o disk/throw.csv
[ -z "$(find disk -name 'throw.csv*')" ] || fail 'a part of an export was left'
refuse 4 'could not be written' sh -c "\"$fcps\" study export disk/throw.fcps >/dev/full"
refuse 4 'could not be written' sh -c "\"$fcps\" study log disk/throw.fcps >/dev/full"
refuse 4 'could not be written' sh -c "\"$fcps\" study status disk/throw.fcps --json >/dev/full"
