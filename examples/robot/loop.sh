#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A robot's day with fcps: ask, move, tell. Stop it at any place and start it again; it goes on where it was, because the
# same client gets its unfinished ask again and nothing that was acknowledged is lost.
#   ./loop.sh [TRIALS] [STUDY]
set -eu
here=$(dirname "$0")
trials=${1:-20}
study=${2:-throw.fcps}
fcps=${FCPS:-fcps}

# the robot, here a formula: where the ball lands, rounded as a person with a tape measure does
move_robot() {
  awk -v v="$1" -v a="$2" 'BEGIN { printf "%.2f\n", v * v * sin(2 * a) / 9.81 }'
}

[ -e "$study" ] || "$fcps" study new "$study" --problem "$here/throw.yaml" --seed 1
done_so_far=$("$fcps" study log "$study" --json | wc -l)
while [ "$done_so_far" -lt "$trials" ]; do
  wish=$(awk -v n="$done_so_far" 'BEGIN { printf "%.3f", (n * 0.618034 * 8) % 8 }')
  # in two steps: within eval "$(...)" set -e would not see a refused ask, and the robot would move as it did before
  answer=$("$fcps" study ask "$study" --target x="$wish" --client robot-1 --shell)
  eval "$answer" # sets ask, x, speed and tilt
  land=$(move_robot "$speed" "$tilt")
  "$fcps" study tell "$study" "$ask" --outcome land="$land" --client robot-1
  done_so_far=$((done_so_far + 1))
done
"$fcps" study best "$study" --target x=5
